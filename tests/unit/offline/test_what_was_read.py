"""The built-in model keeps a result as it was first sent."""

from __future__ import annotations

import pytest

from superbiz_cli.adapters.offline import agent
from superbiz_cli.adapters.offline.agent import Turn, next_turn
from superbiz_cli.adapters.offline_model import OfflineModel
from superbiz_cli.harness.agent.observation import shortened
from superbiz_cli.harness.contract.model import Message, ModelRequest, ModelRole
from superbiz_cli.harness.contract.strict import canonical_json
from superbiz_cli.harness.core.cancellation import Cancellation

FULL = canonical_json(
    {"observation": "RESULT", "tool_call_id": "ev-1", "result": {"events": ["x" * 100] * 60}}
)


def read(model: OfflineModel, *contents: str) -> None:
    answers = (Message("tool", content, tool_call_id=f"ev-{n}") for n, content in enumerate(contents, 1))
    request = ModelRequest(ModelRole.AGENT, (Message("system", ""), Message("user", "{}"), *answers))
    model.complete(request, timeout_s=1, cancel=Cancellation())


def test_a_result_that_is_repeated_in_part_is_remembered_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ModelRequest] = []

    def overheard(request: ModelRequest) -> Turn:
        seen.append(request)
        return next_turn(request)

    monkeypatch.setattr(agent, "next_turn", overheard)
    model = OfflineModel()
    read(model, FULL)
    read(model, shortened(FULL), "{}")
    assert shortened(FULL) != FULL
    assert [message.content for message in seen[1].messages[2:]] == [FULL, "{}"]
    read(OfflineModel(), shortened(FULL))
    assert seen[2].messages[2].content == shortened(FULL)
