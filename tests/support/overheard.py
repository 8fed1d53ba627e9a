"""What the scripted model was asked: every request of a diagnosis, as it left the harness."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from superbiz_cli.adapters.scripted_model import ScriptedModel
from superbiz_cli.harness.contract.model import CancelSignal, ModelReply, ModelRequest, ModelRole


class Overheard(list[ModelRequest]):
    """Requests in order."""

    def first(self, role: ModelRole) -> ModelRequest:
        return next(request for request in self if request.role is role)

    def user(self, role: ModelRole = ModelRole.AGENT) -> dict[str, Any]:
        """The JSON object of the first user message of this role."""
        value = json.loads(next(m.content for m in self.first(role).messages if m.role == "user"))
        assert isinstance(value, dict)
        return value

    def system(self, role: ModelRole = ModelRole.AGENT) -> str:
        return next(m.content for m in self.first(role).messages if m.role == "system")

    def text(self, role: ModelRole) -> str:
        """Everything that this role was sent."""
        return "\n".join(m.content for request in self if request.role is role for m in request.messages)


@contextmanager
def overhearing() -> Iterator[Overheard]:
    """Remember every request to a scripted model."""
    heard = Overheard()
    complete = ScriptedModel.complete

    def listening(
        self: ScriptedModel, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal
    ) -> ModelReply:
        heard.append(request)
        return complete(self, request, timeout_s=timeout_s, cancel=cancel)

    with mock.patch.object(ScriptedModel, "complete", listening):
        yield heard
