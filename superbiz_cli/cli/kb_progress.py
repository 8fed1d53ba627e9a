"""Progress of a long write to the knowledge base: a bar in a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from superbiz_cli.bootstrap.port import RunHandle
from superbiz_cli.cli.live import STOPPING
from superbiz_cli.cli.streams import ERASE_LINE, Streams
from superbiz_cli.cli.wrap import clip
from superbiz_cli.harness.audit.events import RecordedEvent
from superbiz_cli.harness.tool.sanitize import sanitize

_BAR_CELLS = 24
_FIRST_LINE_S = 5.0
_LINE_EVERY_S = 20.0
_RATE_AFTER_S = 1.0


@dataclass(slots=True)
class Progress:
    """Counters of the work, written by its thread and read by the one that draws."""

    total: int = 0
    done: int = 0
    documents: int = 0
    all_documents: int = 0
    chunks: int = 0
    began: float = field(default_factory=time.monotonic)
    lines: list[str] = field(default_factory=list)

    def plan(self, total: int, documents: int) -> None:
        """So much is to be done; the clock starts."""
        self.total, self.all_documents = total, documents
        self.began = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the plan was made."""
        return time.monotonic() - self.began

    @property
    def remaining_s(self) -> float | None:
        """Seconds that are left at the rate so far, None before there is one."""
        if not self.done or self.elapsed_s < _RATE_AFTER_S:
            return None
        return self.elapsed_s * (self.total - self.done) / self.done

    def in_words(self) -> str:
        """Return counts, rate and remaining time."""
        parts = [f"{self.documents} of {self.all_documents} documents"] if self.all_documents else []
        parts.append(f"{self.chunks} passages")
        if self.elapsed_s >= _RATE_AFTER_S and self.chunks:
            parts.append(f"{self.chunks / self.elapsed_s:.1f}/s")
        if (left_s := self.remaining_s) is not None and self.done < self.total:
            parts.append(f"{_clock(left_s)} left")
        return " · ".join(parts)


@dataclass(slots=True)
class ProgressView:
    """See `interrupt.View`. Draws `progress`, and passes its lines on."""

    streams: Streams
    progress: Progress
    doing: str
    _last_line_s: float = 0.0
    _drawn: bool = False
    _stopping: bool = False

    @property
    def tick_s(self) -> float:
        """How often the bar moves."""
        return 0.2

    def started(self, run: RunHandle) -> None:
        """Nothing to show: commands of the knowledge base have no trace."""

    def event(self, recorded: RecordedEvent) -> None:
        """Nothing to show."""

    def warned(self, text: str) -> None:
        """Write one sentence."""
        self._write(f"note: {text}")

    def tick(self) -> None:
        """Write what was said meanwhile, then draw."""
        self._drain()
        if not self.progress.total:
            return
        if self.streams.notes_are_terminal:
            self._draw()
        elif self.progress.elapsed_s - self._last_line_s >= (
            _LINE_EVERY_S if self._last_line_s else _FIRST_LINE_S
        ):
            self._last_line_s = self.progress.elapsed_s
            self.streams.note(f"{self.doing}: {self.progress.in_words()}")

    def interrupted(self) -> None:
        """Say that the work will stop."""
        self._stopping = True
        self._write(STOPPING)

    def close(self) -> None:
        """Take the bar away."""
        self._drain()
        self._erase()

    def _drain(self) -> None:
        while self.progress.lines:
            self._write(self.progress.lines.pop(0))

    def _write(self, line: str) -> None:
        self._erase()
        self.streams.note(sanitize(line))

    def _draw(self) -> None:
        share = min(1.0, self.progress.done / self.progress.total)
        full = round(share * _BAR_CELLS)
        bar = "█" * full + "░" * (_BAR_CELLS - full)
        text = f"{self.doing}  {bar} {share:4.0%}  {self.progress.in_words()}"
        self.streams.raw_note(ERASE_LINE + clip(text, self.streams.notes_width - 1))
        self._drawn = True

    def _erase(self) -> None:
        if self._drawn:
            self.streams.raw_note(ERASE_LINE)
            self._drawn = False


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
