"""Writes the draft: a proven finding of a skill, or an honest account of the dominant errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from superbiz_cli.adapters.offline.limits_text import limitations
from superbiz_cli.adapters.offline.phrases import say
from superbiz_cli.adapters.offline.plan import Progress, fill_sentence, proven_finding
from superbiz_cli.adapters.offline.query_terms import QueryTerms
from superbiz_cli.adapters.offline.ranking import RankedFact, background_facts, dominant_facts
from superbiz_cli.adapters.offline.sighting import Sighting
from superbiz_cli.adapters.offline.statements import fact_sentence, negative_sentence, origin_sentence
from superbiz_cli.adapters.offline.times import clock_time
from superbiz_cli.adapters.offline.transcript import Fact, Observation, Transcript
from superbiz_cli.adapters.offline.vocabulary import DOMAIN_WORDS
from superbiz_cli.adapters.offline.words import language_of
from superbiz_cli.harness.contract.draft import Action, AnalysisItem, Conclusion, Draft, Recommendation
from superbiz_cli.harness.contract.skill import Finding
from superbiz_cli.harness.contract.status import AnalysisKind
from superbiz_cli.harness.contract.tool_call import ToolName

_MAX_DOMINANT = 6
_MAX_BACKGROUND = 2
_MAX_NEGATIVE = 3
_MAX_TRIGGERS = 2
_HEADER_CHARS = 80


@dataclass(slots=True)
class _Analysis:
    """Analysis items under construction; equal texts are written once."""

    items: list[AnalysisItem] = field(default_factory=list)

    def add(self, kind: AnalysisKind, text: str | None, observation: Observation) -> str | None:
        """Add an item about `observation` and return its id; None if there is nothing to say."""
        if not text or observation.tool_call_id is None:
            return None
        for item in self.items:
            if item.text == text:
                return item.analysis_id
        identifier = f"a{len(self.items) + 1}"
        self.items.append(
            AnalysisItem(
                analysis_id=identifier, kind=kind, text=text, tool_call_ids=(observation.tool_call_id,)
            )
        )
        return identifier


def write_draft(transcript: Transcript, terms: QueryTerms, progress: Sequence[Progress]) -> Draft:
    """Write the draft from what was observed. The conclusion is null unless a finding is proven."""
    for plan in progress:
        finding = proven_finding(plan)
        if finding is not None:
            return _proven(transcript, plan, finding)
    return _unproven(transcript, terms, progress)


def _proven(transcript: Transcript, plan: Progress, finding: Finding) -> Draft:
    language = language_of(transcript.query)
    analysis = _Analysis()
    shown = [name.removesuffix(".new") for name in (*finding.when.all, *finding.when.any, *finding.order)]
    carrying = _ids(
        _add_sighting(analysis, plan, language, plan.seen.sightings[name])
        for name in dict.fromkeys(shown)
        if name in plan.seen.sightings
    )
    for name in finding.context:
        if name in plan.seen.sightings:
            _add_sighting(analysis, plan, language, plan.seen.sightings[name])
    _add_ruled_out(analysis, plan, finding, language)
    quoted = {skeleton for name in (*shown, *finding.context) if (skeleton := _skeleton_of(plan, name))}
    for ranked in background_facts(transcript)[:_MAX_BACKGROUND]:
        if ranked.skeleton not in quoted:
            _add_ranked(analysis, transcript, language, ranked)
    return Draft(
        analysis=tuple(analysis.items),
        conclusion=Conclusion(
            text=_filled(finding.statement.in_language(language), finding.statement.en, plan),
            based_on_analysis_ids=carrying,
        ),
        action_plan=tuple(
            Action(action=text, requires_human_confirmation=finding.confirm, based_on_analysis_ids=carrying)
            for action in finding.actions
            if (text := fill_sentence(action.in_language(language), plan.seen))
        ),
        recommendations=tuple(
            Recommendation(text=text, based_on_analysis_ids=carrying)
            for advice in finding.advice
            if (text := fill_sentence(advice.in_language(language), plan.seen))
        ),
        limitations=limitations(transcript, language, missing=()),
    )


def _filled(template: str, fallback: str, plan: Progress) -> str:
    return fill_sentence(template, plan.seen) or fill_sentence(fallback, plan.seen) or ""


def _add_sighting(analysis: _Analysis, plan: Progress, language: str, sighting: Sighting) -> str | None:
    notes = {signal.name: signal.note for step in plan.skill.plan for signal in step.signals}
    note = notes.get(sighting.name)
    text = fill_sentence(note.in_language(language), plan.seen) if note else None
    text = text or fact_sentence(language, sighting.fact, sighting.observation, sighting.quote)
    return analysis.add(AnalysisKind.NORMAL, text, sighting.observation)


def _add_ruled_out(analysis: _Analysis, plan: Progress, finding: Finding, language: str) -> None:
    """Report the searches behind `none` that came back empty."""
    for step, call in plan.answered:
        names = {step.id, *(signal.name for signal in step.signals)}
        if call.observation.is_result and not call.observation.found and names & set(finding.when.none):
            text = negative_sentence(language, call.observation)
            analysis.add(AnalysisKind.NEGATIVE_OBSERVATION, text, call.observation)


def _skeleton_of(plan: Progress, name: str) -> str:
    sighting = plan.seen.sightings.get(name)
    return RankedFact.of(sighting.fact, sighting.observation).skeleton if sighting else ""


def _unproven(transcript: Transcript, terms: QueryTerms, progress: Sequence[Progress]) -> Draft:
    language = language_of(transcript.query)
    analysis = _Analysis()
    dominant = dominant_facts(transcript, terms)[:_MAX_DOMINANT]
    ids = {ranked.skeleton: _add_ranked(analysis, transcript, language, ranked) for ranked in dominant}
    empty = [
        call.observation
        for call in transcript.calls
        if call.observation.is_result and not call.observation.found
    ]
    for observation in empty[:_MAX_NEGATIVE]:
        analysis.add(AnalysisKind.NEGATIVE_OBSERVATION, negative_sentence(language, observation), observation)
    return Draft(
        analysis=tuple(analysis.items),
        recommendations=_advice(transcript, language, dominant, ids, analysis),
        limitations=limitations(
            transcript, language, missing=_missing(language, terms, progress, dominant, transcript)
        ),
    )


def _add_ranked(analysis: _Analysis, transcript: Transcript, language: str, ranked: RankedFact) -> str | None:
    text = fact_sentence(language, ranked.fact, ranked.observation, ranked.quote)
    if text is None:
        return None
    text += origin_sentence(language, ranked.fact, ranked.observation, transcript.since)
    return analysis.add(AnalysisKind.NORMAL, text, ranked.observation)


def _advice(
    transcript: Transcript,
    language: str,
    dominant: Sequence[RankedFact],
    ids: dict[str, str | None],
    analysis: _Analysis,
) -> tuple[Recommendation, ...]:
    advice = []
    first = next((ranked for ranked in dominant if ids[ranked.skeleton]), None)
    if first is not None:
        phrase = "look_first" if first.is_new else "look_loudest"
        advice.append(
            Recommendation(
                text=say(language, phrase, quote=first.quote),
                based_on_analysis_ids=_ids([ids[first.skeleton]]),
            )
        )
    for call in transcript.calls:
        observation = call.observation
        if call.tool == ToolName.LOOKUP_KNOWLEDGE and observation.found:
            text = (
                fact_sentence(language, observation.facts()[0], observation) if observation.facts() else None
            )
            identifier = analysis.add(AnalysisKind.NORMAL, text, observation)
            if identifier:
                advice.append(
                    Recommendation(
                        text=say(language, "read_runbook"), based_on_analysis_ids=_ids([identifier])
                    )
                )
    return tuple(advice)


def _missing(
    language: str,
    terms: QueryTerms,
    progress: Sequence[Progress],
    dominant: Sequence[RankedFact],
    transcript: Transcript,
) -> tuple[str, ...]:
    missing = [say(language, "rule_unproven", skill=plan.skill.name) for plan in progress]
    if not progress:
        missing.append(say(language, "no_rule"))
    facts = [fact for call in transcript.calls for fact in call.observation.facts()]
    spoken = next((word for word in terms.spoken if DOMAIN_WORDS.get(word) == terms.service), terms.service)
    names = {terms.service, spoken}
    if terms.service and facts and not any(_is_written_by(fact, name) for fact in facts for name in names):
        missing.append(say(language, "service_unseen", service=spoken))
    missing.extend(_triggers(language, dominant) or [_silence(language, transcript)])
    return tuple(missing)


def _is_written_by(fact: Fact, service: str) -> bool:
    """Whether the event names a service like `service` as its writer: in its field or in its header."""
    service = re.sub(r"(?<=\w{3})s$", "", service)  # the "rates service" may be called rate-api
    header = rf"(?:^|[\[\s]){re.escape(service)}[\w-]*\s*(?:\]|:|-\s)"
    return service.lower() in (fact.service or "").lower() or bool(
        re.search(header, fact.text[:_HEADER_CHARS], re.IGNORECASE)
    )


def _triggers(language: str, dominant: Sequence[RankedFact]) -> list[str]:
    """Say that nothing shows what triggered the leading errors: the two newest, or the most frequent.

    A warning counts only where there is no error.
    """
    errors = [ranked for ranked in dominant if ranked.fact.level in ("ERROR", "FATAL")]
    new = [ranked for ranked in errors or dominant if ranked.is_new][:_MAX_TRIGGERS]
    if not new:
        return [say(language, "trigger_loudest", quote=ranked.quote) for ranked in dominant[:1]]
    return [
        say(language, "trigger_sampled", quote=ranked.quote)
        if ranked.fact.is_sampled
        else say(
            language,
            "trigger_new",
            first=clock_time(ranked.fact.first, ranked.observation.window) or "",
            quote=ranked.quote,
        )
        for ranked in new
    ]


def _silence(language: str, transcript: Transcript) -> str:
    """Say that there was nothing to search, no trouble, or not a single event."""
    if not transcript.calls and not transcript.tools:
        return say(language, "no_source")
    everything = [call for call in transcript.calls if call.input.get("query") == ""]
    is_empty = any(call.observation.is_result and not call.observation.found for call in everything)
    return say(language, "no_events" if is_empty else "nothing_found")


def _ids(identifiers: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in identifiers if one))
