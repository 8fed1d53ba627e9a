"""What every part of the settings tree is made of."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _web_address(address: str) -> str:
    if not re.match(r"https?://[^/?#\s]", address, re.IGNORECASE):
        raise ValueError("must begin with http:// or https:// and name a host")
    return address


EnvName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
Count: TypeAlias = Annotated[int, Field(ge=1, le=1_000_000_000)]
Seconds: TypeAlias = Annotated[float, Field(gt=0, le=86_400)]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=1000)]
Endpoint: TypeAlias = Annotated[Text, AfterValidator(_web_address)]
Label: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Section(BaseModel):
    """Base of every part of the tree: frozen, no conversion of types, no unknown key."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


def refuse_repeats(names: list[str], key: str) -> None:
    """Raise ValueError if two entries of a list have the same name."""
    if len(set(names)) != len(names):
        raise ValueError(f'has two entries with the same "{key}"')
