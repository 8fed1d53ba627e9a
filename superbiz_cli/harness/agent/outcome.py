"""How a collection of evidence ends, if nothing from outside ended the Run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.status import StopReason


class DraftFault(StrEnum):
    """Why a text is no draft."""

    EMPTY_DRAFT = "EMPTY_DRAFT"
    INVALID_JSON = "INVALID_JSON"
    SCHEMA_INVALID = "SCHEMA_INVALID"


@dataclass(frozen=True, slots=True)
class Completed:
    """The model handed in a draft. It is unproven."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class Stopped:
    """The harness ended the collection without a draft. Cancel and timeout never become this."""

    reason: StopReason | DraftFault


Collection: TypeAlias = Completed | Stopped
