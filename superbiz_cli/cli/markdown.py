"""What a Run published, as CommonMark, for tickets and chat. Outside text cannot become markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from superbiz_cli.cli.readable import readable_scope, readable_times, step_and_command
from superbiz_cli.cli.render import fallback_note, offline_note, run_note
from superbiz_cli.cli.stages import words
from superbiz_cli.harness.contract.report import Answer, EvidenceRef, Report, RunResult, SafeFallback
from superbiz_cli.harness.tool.sanitize import sanitize

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_LINE_START = re.compile(r"^(\s*)([-+=]|\d+[.)])", re.MULTILINE)


def markdown_of(result: RunResult) -> str:
    """Return the published content as a Markdown document."""
    blocks: list[str] = []
    if result.report is not None:
        blocks += _report(result.report)
    elif result.fallback is not None:
        blocks += _fallback(result.fallback)
    elif result.answer is not None:
        blocks += _answer(result.answer)
    if result.evidence:
        blocks += ["## Evidence", _list(_evidence_line(ref) for ref in result.evidence)]
    if result.fallback is not None:
        blocks.append(escaped(fallback_note(result.fallback, result)))
    notes = [f"`{run_note(result)}`", offline_note(result.model) or f"model {escaped(result.model)}"]
    blocks.append(" · ".join(notes))
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Return outside text so that Markdown shows it as it is."""
    flat = sanitize(text).replace("\r", " ").replace("\t", " ")
    safe = _MARKUP.sub(r"\\\1", flat)
    safe = _LINE_START.sub(r"\1\\\2", safe)
    return safe.replace("://", "&#58;//")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are escaped and kept on one line."""
    cells = [[escaped(cell).replace("\n", " ") for cell in row] for row in rows]
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in cells)]) + "\n"


def _report(report: Report) -> list[str]:
    blocks = ["## Conclusion", _cited(report.conclusion.text, report.conclusion.refs)]
    if report.analysis:
        blocks += ["## What was seen", _list(_cited(item.text, item.refs) for item in report.analysis)]
    steps = [
        _cited(step.action, step.refs)
        + (" — **needs your confirmation**" if step.requires_human_confirmation else "")
        for step in report.action_plan
    ]
    advice = [_cited(item.text, item.refs) for item in report.recommendations]
    if steps or advice:
        numbered = [f"{number}. {_inline(step)}" for number, step in enumerate(steps, start=1)]
        blocks += [
            "## What to do",
            *(["\n".join(numbered)] if numbered else []),
            *([_list(advice)] if advice else []),
        ]
    limits = report.limitations
    lines = [limits.checked_scope, *(f"Not known: {text}" for text in limits.missing_info), *limits.caveats]
    if report.skills:
        lines.append(f"Skill used: {', '.join(report.skills)}")
    if report.similar_cases:
        lines.append(f"Earlier case given as a hint, not as evidence: {', '.join(report.similar_cases)}")
    if shown := [escaped(readable_times(line)) for line in lines if line.strip()]:
        blocks += ["## Limits", _list(shown)]
    judged = report.judgement
    return [
        *blocks,
        f"verified {judged.references_verified} of {judged.references_total} references · judged "
        f"{judged.verdict.lower()}",
    ]


def _fallback(fallback: SafeFallback) -> list[str]:
    blocks = [f"## No proven cause ({words(fallback.type)})", escaped(fallback.message)]
    facts = [_cited(f.text, () if f.ref is None else (f.ref,)) for f in fallback.observed_facts]
    issues = [
        f"{escaped(words(issue.code))} ({escaped(issue.target)})" for issue in fallback.validation_issues
    ]
    sections = (
        ("What is certain", facts),
        ("What was checked", [escaped(text) for text in fallback.verified_sources] if not facts else []),
        ("What is missing", [escaped(text) for text in fallback.missing_info]),
        ("Limits", [escaped(readable_times(text)) for text in fallback.limitations]),
        ("Why the draft was withheld", issues),
        ("Next", [_next_step(text) for text in fallback.next_steps]),
    )
    for title, lines in sections:
        if lines:
            blocks += [f"## {title}", _list(lines)]
    return blocks


def _next_step(step: str) -> str:
    text, command = step_and_command(step)
    is_code = bool(command) and "`" not in command
    return f"{escaped(text)} `{command}`" if is_code else escaped(step)


def _answer(answer: Answer) -> list[str]:
    blocks = [_cited(statement.text, statement.refs) for statement in answer.statements]
    if answer.near:
        blocks += ["## Close to it", _list(escaped(text) for text in answer.near)]
    return blocks


def _evidence_line(ref: EvidenceRef) -> str:
    excerpt = f": {escaped(ref.excerpt)}" if ref.excerpt else ""
    where = f"{escaped(ref.source)}, {escaped(readable_scope(ref))}"
    return f"\\[{ref.ref}\\] {ref.source_type.value} {where}{excerpt}"


def _cited(text: str, refs: Sequence[int]) -> str:
    footnotes = "".join(f"\\[{ref}\\]" for ref in refs)
    return f"{escaped(text)} {footnotes}" if footnotes else escaped(text)


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_inline(line)}" for line in lines)


def _inline(text: str) -> str:
    return " ".join(text.split())
