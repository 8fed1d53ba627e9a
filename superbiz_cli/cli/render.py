"""What a Run published, for people: report, fallback, answer, failure.

Every text of a result may quote logs, rows, documents or a model; `Page` sanitises all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from superbiz_cli.cli.page import Page, plain
from superbiz_cli.cli.readable import command_lines, readable_scope, readable_times, step_and_command
from superbiz_cli.cli.stages import words
from superbiz_cli.harness.contract.report import Answer, EvidenceRef, Failure, Report, RunResult, SafeFallback
from superbiz_cli.settings.routes import OFFLINE_ROUTE

_BULLET = "•"
_COMMAND_INDENT = "      "
_CONFIRM = ("  needs your confirmation", "yellow")


def render_result(result: RunResult, *, width: int, color: bool) -> str:
    """Return what the Run published as text."""
    page = Page(width)
    if result.report is not None:
        _report(page, result.report, result)
    elif result.fallback is not None:
        _fallback(page, result.fallback, result)
    elif result.answer is not None:
        _answer(page, result.answer, result)
    elif result.failure is not None:
        _failure(page, result.failure, result)
    return page.render(color=color)


def run_note(result: RunResult) -> str:
    """Return how the Run can be looked at again."""
    return f"superbiz trace show {result.run_id}"


def fallback_note(fallback: SafeFallback, result: RunResult) -> str:
    """Return where the Run fell back, and how many results the facts above stand on."""
    where = f"fell back at {words(fallback.failure_stage)}"
    count = len(result.evidence)
    if not count:
        return where
    return f"facts from {count} {'result' if count == 1 else 'results'}, read again and verified · {where}"


def offline_note(model: str) -> str | None:
    """Return the line that says that no language model was at work, if none was."""
    if model != OFFLINE_ROUTE:
        return None
    return f"model {OFFLINE_ROUTE}: built in, no network; it follows the skill's plan and compares words"


def _report(page: Page, report: Report, result: RunResult) -> None:
    page.heading("Conclusion", style="bold green")
    page.paragraph(_cited(report.conclusion.text, report.conclusion.refs))
    if report.analysis:
        page.heading("What was seen")
        for item in report.analysis:
            page.item(_BULLET, _cited(item.text, item.refs))
    if report.action_plan or report.recommendations:
        page.heading("What to do")
        for number, step in enumerate(report.action_plan, start=1):
            asks = _CONFIRM if step.requires_human_confirmation else None
            page.item(f"{number}.", _cited(step.action, step.refs, mark=asks))
        for advice in report.recommendations:
            page.item(_BULLET, _cited(advice.text, advice.refs))
    _limits(page, report)
    _evidence(page, result.evidence)
    judged = report.judgement
    checked = f"verified {judged.references_verified} of {judged.references_total} references"
    _footer(page, result, f"{checked} · judged {judged.verdict.lower()}")


def _fallback(page: Page, fallback: SafeFallback, result: RunResult) -> None:
    page.heading("No proven cause", aside=words(fallback.type), style="bold yellow")
    page.paragraph(fallback.message)
    if fallback.observed_facts:
        page.heading("What is certain")
        for fact in fallback.observed_facts:
            page.item(_BULLET, _cited(fact.text, () if fact.ref is None else (fact.ref,)))
    elif fallback.verified_sources:
        page.heading("What was checked")
        _bullets(page, fallback.verified_sources)
    if fallback.missing_info:
        page.heading("What is missing")
        _bullets(page, fallback.missing_info)
    if fallback.limitations:
        page.heading("Limits")
        _bullets(page, [readable_times(text) for text in fallback.limitations])
    if fallback.validation_issues:
        page.heading("Why the draft was withheld")
        page.columns([(words(issue.code), issue.target) for issue in fallback.validation_issues])
    if fallback.next_steps:
        page.heading("Next")
        for step in fallback.next_steps:
            _next_step(page, step)
    _evidence(page, result.evidence)
    _footer(page, result, fallback_note(fallback, result))


def _answer(page: Page, answer: Answer, result: RunResult) -> None:
    for number, statement in enumerate(answer.statements):
        if number:
            page.blank()
        page.paragraph(_cited(statement.text, statement.refs), indent="")
    if answer.near:
        page.heading("Close to it")
        _bullets(page, answer.near)
    _evidence(page, result.evidence)
    _footer(page, result, "")


def _failure(page: Page, failure: Failure, result: RunResult) -> None:
    page.paragraph(failure.message, indent="")
    if failure.hint:
        page.paragraph(f"hint: {failure.hint}", indent="")
    _footer(page, result, words(failure.code))


def _limits(page: Page, report: Report) -> None:
    limits = report.limitations
    lines = [limits.checked_scope, *(f"Not known: {text}" for text in limits.missing_info), *limits.caveats]
    if report.skills:
        lines.append(f"Skill used: {', '.join(report.skills)}")
    if report.similar_cases:
        lines.append(f"Earlier case given as a hint, not as evidence: {', '.join(report.similar_cases)}")
    shown = [readable_times(line) for line in lines if line.strip()]
    if not shown:
        return
    page.heading("Limits")
    for line in shown:
        page.paragraph(line)


def _evidence(page: Page, evidence: Sequence[EvidenceRef]) -> None:
    if not evidence:
        return
    page.heading("Evidence")
    kinds = max(len(ref.source_type.value) for ref in evidence)
    for ref in evidence:
        marker = f"[{ref.ref}]"
        page.line(
            (f"{marker:<4}", "cyan"),
            f"{ref.source_type.value:<{kinds}}  {ref.source}  ",
            (readable_scope(ref), "dim"),
        )
        if ref.excerpt:
            page.paragraph(f'"{ref.excerpt}"', indent="      ", style="dim")


def _footer(page: Page, result: RunResult, verdict: str) -> None:
    page.blank()
    parts = " · ".join(part for part in (verdict, run_note(result)) if part)
    page.paragraph(parts, style="dim")
    if (note := offline_note(result.model)) is not None:
        page.paragraph(note, style="dim")


def _next_step(page: Page, step: str) -> None:
    """Write a step; its command stands on lines of its own, so that it can be copied."""
    text, command = step_and_command(step)
    page.item(_BULLET, text)
    for line in command_lines(command, page.width - len(_COMMAND_INDENT)) if command else ():
        page.line(line, indent=_COMMAND_INDENT)


def _bullets(page: Page, texts: Sequence[str]) -> None:
    for text in texts:
        page.item(_BULLET, text)


def _cited(text: str, refs: Sequence[int], *, mark: tuple[str, str] | None = None) -> Text:
    cited = plain(text).copy()
    if mark is not None:
        cited.append(*mark)
    if refs:
        cited.append(" " if mark is None else "  ")
        cited.append("".join(f"[{ref}]" for ref in refs), style="cyan")
    return cited
