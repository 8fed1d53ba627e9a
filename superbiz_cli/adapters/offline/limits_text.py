"""The limitations of a draft: what was searched, what was cut, what could not be looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from superbiz_cli.adapters.offline.phrases import say
from superbiz_cli.adapters.offline.times import window_text
from superbiz_cli.adapters.offline.transcript import Observation, Transcript
from superbiz_cli.harness.contract.draft import Limitations
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.release.wording import topic_in_words


def limitations(transcript: Transcript, language: str, *, missing: Sequence[str]) -> Limitations:
    """Describe the limits of what was observed; `missing` is what a proof would have needed."""
    observations = [call.observation for call in transcript.calls]
    caveats = [say(language, "offline")]
    if any(observation.kind == "ERROR" for observation in observations):
        caveats.append(say(language, "failed_calls"))
    return Limitations(
        checked_scope=_checked(language, observations), missing_info=tuple(missing), caveats=tuple(caveats)
    )


def _checked(language: str, observations: Sequence[Observation]) -> str:
    areas = Counter(
        area
        for observation in observations
        if observation.is_result and (area := _area(language, observation))
    )
    parts = [
        area.replace(
            "{searches}",
            say(language, "searches_one") if count == 1 else say(language, "searches", count=str(count)),
        )
        for area, count in areas.items()
    ]
    return "; ".join(parts) if parts else say(language, "nothing_checked")


def _area(language: str, observation: Observation) -> str:
    scope, window = observation.scope, observation.window
    match observation.tool:
        case ToolName.QUERY_LOGS if window is not None:
            topic = topic_in_words(str(scope.get("topic", "")), language)
            return say(language, "scope", topic=topic, window=window_text(window), searches="{searches}")
        case ToolName.QUERY_MYSQL:
            return say(language, "scope_mysql", source=str(scope.get("data_source", "")))
        case ToolName.LOOKUP_KNOWLEDGE:
            return say(language, "scope_knowledge")
        case _:
            return ""
