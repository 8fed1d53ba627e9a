"""Progress on stderr while a Run works: a live view in a terminal, one line a step elsewhere.

The live view is redrawn in place and disappears; it never has more rows than the terminal, so that
nothing is left in the scrollback. Into pipes, files and continuous integration nothing is animated.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from superbiz_cli.bootstrap.port import RunHandle
from superbiz_cli.cli.page import plain, render_lines
from superbiz_cli.cli.stages import Mark, Step, doing, step_of
from superbiz_cli.cli.streams import Streams, terminal_height
from superbiz_cli.cli.wrap import clip, pad
from superbiz_cli.harness.audit.events import RecordedEvent, TraceType

if TYPE_CHECKING:
    from rich.live import Live

STOPPING = "stopping; press Ctrl-C again to leave at once"

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAMES_PER_S = 8
_MARK_STYLE = {Mark.GOOD: "green", Mark.BAD: "red", Mark.PLAIN: "dim"}
_MODEL_CALLS = frozenset(
    {
        TraceType.ROUTING_ATTEMPT,
        TraceType.AGENT_MODEL_STEP,
        TraceType.EVIDENCE_REPAIR_ATTEMPT,
        TraceType.SEMANTIC_ATTEMPT,
    }
)


@dataclass(frozen=True, slots=True)
class Heading:
    """What is known before the Run begins. `window` says which time the question is about."""

    models: str
    window: str
    deadline_s: float


@dataclass(slots=True)
class _Spent:
    """What the events so far tell about the budget."""

    model_calls: int = 0
    tool_calls: int = 0
    tokens: int = 0
    max_model_calls: int | None = None
    max_tool_calls: int | None = None

    def count(self, recorded: RecordedEvent) -> None:
        """Add what this event tells."""
        event = recorded.event
        if event.type is TraceType.RUN_STARTED:
            self.max_model_calls = _number(event.attributes.get("max_model_calls"))
            self.max_tool_calls = _number(event.attributes.get("max_tool_calls"))
        self.model_calls += event.type in _MODEL_CALLS
        self.tool_calls += event.type is TraceType.TOOL_INVOCATION
        self.tokens += _number(event.attributes.get("input_tokens")) or 0
        self.tokens += _number(event.attributes.get("output_tokens")) or 0

    def line(self) -> str:
        """Return the counters as one line."""
        tokens = f"{self.tokens / 1000:.1f}k" if self.tokens >= 1000 else str(self.tokens)
        model, tools = _of(self.model_calls, self.max_model_calls), _of(self.tool_calls, self.max_tool_calls)
        return f"model {model}   tools {tools}   {tokens} tokens"


class PlainView:
    """One line for each step, for pipes and continuous integration."""

    tick_s = 1.0

    def __init__(self, streams: Streams, heading: Heading) -> None:
        self._streams = streams
        self._heading = heading
        self._last_ms = 0

    def started(self, run: RunHandle) -> None:
        """Write who works on what."""
        for line in _head(self._heading, run):
            self._say(line)

    def event(self, recorded: RecordedEvent) -> None:
        """Write the step that this event ended."""
        step = step_of(recorded, since_ms=self._last_ms)
        if step is not None:
            self._last_ms = recorded.at_ms
            self._say(_row(step, self._streams.notes_width))

    def warned(self, text: str) -> None:
        """Write the sentence."""
        self._say(plain(f"note: {text}"))

    def tick(self) -> None:
        """Say nothing: each line stands for a step that ended."""

    def interrupted(self) -> None:
        """Answer the signal at once."""
        self._say(Text(STOPPING))

    def close(self) -> None:
        """Leave the lines where they are."""

    def _say(self, line: Text) -> None:
        self._streams.note(render_lines([line], color=self._streams.notes_in_color).rstrip("\n"))


class LiveView:
    """A view that is redrawn in place at most 8 times a second."""

    tick_s = 1 / _FRAMES_PER_S

    def __init__(self, streams: Streams, heading: Heading) -> None:
        self._streams = streams
        self._heading = heading
        self._began = time.monotonic()
        self._drawn_at = 0.0
        self._last_ms = 0
        self._head = [Text(f"superbiz  {heading.models}", style="dim")]
        self._steps: list[Step] = []
        self._warnings: list[str] = []
        self._doing = "starting"
        self._spent = _Spent()
        self._live: Live | None = None

    def started(self, run: RunHandle) -> None:
        """Show who works on what."""
        self._head = _head(self._heading, run)
        self._draw(now=True)

    def event(self, recorded: RecordedEvent) -> None:
        """Show what was done and what is being done."""
        self._spent.count(recorded)
        step = step_of(recorded, since_ms=self._last_ms)
        if step is not None:
            self._last_ms = recorded.at_ms
            self._steps.append(step)
        self._doing = doing(recorded) or self._doing
        self._draw()

    def warned(self, text: str) -> None:
        """Keep the sentence for when the view has gone."""
        self._warnings.append(text)

    def tick(self) -> None:
        """Move the clock on."""
        self._draw()

    def interrupted(self) -> None:
        """Answer the signal at once."""
        self._doing = STOPPING
        self._draw(now=True)

    def close(self) -> None:
        """Take the view off the screen, but for what names the Run: the scrollback must still tell."""
        if self._live is not None:
            self._live.stop()
            self._live = None
            self._streams.note(render_lines(self._head, color=self._streams.notes_in_color).rstrip("\n"))
        for text in self._warnings:
            self._streams.note(plain(f"note: {text}").plain)
        self._warnings.clear()

    def _draw(self, *, now: bool = False) -> None:
        moment = time.monotonic()
        if not now and moment - self._drawn_at < self.tick_s:
            return
        self._drawn_at = moment
        if self._live is None:
            self._live = self._open()
        from rich.console import Group

        self._live.update(Group(*self._rows(moment)), refresh=True)

    def _open(self) -> Live:
        from rich.console import Console
        from rich.live import Live

        console = Console(
            file=self._streams.stderr,
            width=self._streams.notes_width,
            color_system="standard" if self._streams.notes_in_color else None,
            highlight=False,
            markup=False,
            emoji=False,
        )
        live = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._streams.clear_starting()
        live.start()
        return live

    def _rows(self, moment: float) -> list[Text]:
        width = self._streams.notes_width
        room = max(1, min(14, terminal_height() - len(self._head) - 5))
        elapsed = moment - self._began
        frame = _FRAMES[int(elapsed * _FRAMES_PER_S) % len(_FRAMES)]
        clock = f"{_clock(elapsed)} of {_clock(self._heading.deadline_s)}"
        rows = [
            *self._head,
            Text(),
            *(_row(step, width) for step in self._steps[-room:]),
            Text.assemble(("  " + frame + " ", "cyan"), clip(self._doing, width - 4)),
            Text("  " + "─" * min(78, width - 2), style="dim"),
            Text(f"  {clock}   {self._spent.line()}", style="dim"),
        ]
        for row in rows:
            row.no_wrap = True
            row.overflow = "ellipsis"
        return rows


def _head(heading: Heading, run: RunHandle) -> list[Text]:
    session = f"  session {run.session_id}" if run.session_id else ""
    return [
        plain(f"superbiz  run {run.run_id}{session}  {heading.models}"),
        plain(f"window    {heading.window}"),
    ]


def _row(step: Step, width: int) -> Text:
    """Lay one step out: mark, stage, what, outcome, seconds; the texts give way, the outcome last."""
    seconds = f"{step.seconds:5.1f} s" if step.seconds is not None else ""
    outcome = clip(plain(step.outcome).plain.replace("\n", " "), max(10, width // 2))
    room = max(8, width - 4 - 14 - 2 - 8 - cell_len(outcome) - 2)
    what = pad(clip(plain(step.text).plain.replace("\n", " "), room), min(room, 44))
    row = Text("  ")
    row.append(f"{step.mark} ", style=_MARK_STYLE[step.mark])
    row.append(f"{step.stage:<14}")
    row.append(what)
    gap = width - cell_len(row.plain) - cell_len(outcome) - cell_len(seconds) - 2
    row.append(" " * max(2, gap if seconds or outcome else 2))
    row.append(outcome, style="" if step.mark is Mark.GOOD else _MARK_STYLE[step.mark])
    row.append(f"  {seconds}" if seconds else "", style="dim")
    row.rstrip()
    return row


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes:02d}:{rest:02d}"


def _of(count: int, limit: int | None) -> str:
    return str(count) if limit is None else f"{count}/{limit}"


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
