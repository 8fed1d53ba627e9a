"""What a ClickHouse table says of itself: which column is the time, and how each column is read as text.

Types: https://clickhouse.com/docs/sql-reference/data-types. The columns tell all, so that no mapping has to
be configured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from superbiz_cli.adapters.log_files.stamps import SECOND_US, epoch_stamp
from superbiz_cli.harness.tool.logs.contract import TimeWindow

_TIME_NAMES = (
    "timestamp", "@timestamp", "time", "ts", "event_time", "eventtime", "datetime", "log_time", "logtime",
    "created_at", "_timestamp", "timestamp_ms", "ts_ms", "time_ms", "timestamp_ns", "epoch_ms", "date_time",
)  # fmt: skip
_WRAPPER = re.compile(r"(?:Nullable|LowCardinality|SimpleAggregateFunction)\((?:\w+, )?(.*)\)")
_INTEGER = re.compile(r"U?Int(?:32|64)$")
_PLAIN = ("Enum", "Int", "UInt", "Float", "BFloat", "Decimal", "UUID", "IPv")
_COMPOSITE = ("Array", "Tuple", "Nested", "JSON", "Object", "Variant", "Dynamic", "Point")
_ROUNDED = re.compile(
    r"(toDateTime|toDate|toDate32|toStartOf(?:Second|\w*Minutes?|Hour|Day))\(`?([^`(),]+)`?(?:, '[^']*')?\)"
)
_LATEST_US = 2**63 // 1000 - 2  # a later time overflows where it is compared with a DateTime64(9)
_ROUNDED_BY_US = 51 * 3600 * SECOND_US  # a day, and how far apart the midnights of two zones can be
_SHOWN_BYTES = 8192


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """The column that holds the time of an event.

    `ticks_per_s` says what a number counts; None for a column of one of ClickHouse's own types of times.
    `rounded` are columns that the table itself fills with the time, rounded by at most so many
    microseconds: partitions and keys often know only these.
    """

    name: str
    ticks_per_s: int | None = None
    rounded: tuple[tuple[str, int], ...] = ()

    def conditions(self) -> list[str]:
        """Return the conditions of a window; their parameters are those of `params`."""
        column = quoted(self.name)
        if self.ticks_per_s is not None:
            return [f"{column} >= {{start:Int64}}", f"{column} < {{end:Int64}}"]
        return [
            f"{column} >= fromUnixTimestamp64Micro({{start:Int64}})",
            f"{column} < fromUnixTimestamp64Micro({{end:Int64}})",
            *(
                f"{quoted(name)} >= fromUnixTimestamp64Micro({{start:Int64}} - {by_us})"
                f" AND {quoted(name)} <= fromUnixTimestamp64Micro({{end:Int64}} + {by_us})"
                for name, by_us in self.rounded
            ),
        ]

    def params(self, window: TimeWindow) -> dict[str, str]:
        """Return the parameters of a window: its first tick, and the first one behind it."""
        ticks = SECOND_US if self.ticks_per_s is None else self.ticks_per_s
        bounds = (min(at_us, _LATEST_US) for at_us in (window.start_us, window.end_us + 1))
        start, end = (-(-at_us * ticks // SECOND_US) for at_us in bounds)
        return {"param_start": str(start), "param_end": str(end)}

    def at_us(self) -> str:
        """Return the expression of the time in microseconds since 1970."""
        column, ticks = quoted(self.name), self.ticks_per_s
        if ticks is None:
            return f"toUnixTimestamp64Micro(toDateTime64({column}, 6))"
        if ticks > SECOND_US:
            return f"intDiv(toInt64({column}), {ticks // SECOND_US})"
        return f"toInt64({column}) * {SECOND_US // ticks}"


@dataclass(frozen=True, slots=True)
class LogTable:
    """The columns of a table. `is_number` says that `time` is one and that its unit is not yet known."""

    time: TimeColumn
    is_number: bool
    types: Mapping[str, str]

    def shown(self) -> list[str]:
        """Return the expressions of what is fetched of a row: of a long text its beginning."""
        return [
            f"substring({quoted(name)}, 1, {_SHOWN_BYTES}) AS {quoted(name)}"
            if _is_text(kind)
            else quoted(name)
            for name, kind in self.types.items()
        ]

    def holds(self, term: str) -> str:
        """Return the condition that some column holds a text; `term` is the placeholder of its parameter.

        Each column is asked apart: one NULL among columns that are joined makes NULL of all of them.
        """
        texts = [
            text for name, kind in self.types.items() if (text := _as_text(quoted(name), kind)) is not None
        ]
        return "(" + " OR ".join(f"positionCaseInsensitiveUTF8({text}, {term}) > 0" for text in texts) + ")"


def read_table(described: Sequence[Mapping[str, Any]], time_field: str | None) -> LogTable | None:
    """Return the table that DESCRIBE TABLE tells of, None if it has no time or no text.

    `time_field` names the column of the time where it is configured.
    """
    kinds = {
        str(row.get("name")): _bare(str(row.get("type")))
        for row in described
        if row.get("default_type") != "EPHEMERAL"
        and not str(row.get("type")).startswith("AggregateFunction(")
    }
    name = _time_of(kinds, time_field)
    if name is None or not any(_is_text(kind) or kind.startswith(_COMPOSITE) for kind in kinds.values()):
        return None
    rounded = tuple(
        (str(row.get("name")), SECOND_US if found[1] == "toDateTime" else _ROUNDED_BY_US)
        for row in described
        if (found := _ROUNDED.fullmatch(str(row.get("default_expression")))) is not None
        and found[2] == name
        and _bare(str(row.get("type"))).startswith("Date")
        and row.get("default_type") in {"DEFAULT", "MATERIALIZED"}
    )
    return LogTable(TimeColumn(name, rounded=rounded), _INTEGER.match(kinds[name]) is not None, kinds)


def ticks_per_s(tick: int) -> int | None:
    """Return what a number of time counts, by the size of one of them; None if it is no time."""
    if tick <= 0 or epoch_stamp(tick) is None:
        return None
    return next(
        (ticks for limit, ticks in ((10**11, 1), (10**14, 10**3), (10**17, 10**6)) if tick < limit), 10**9
    )


def quoted(name: str) -> str:
    """Return a name as ClickHouse reads it, whatever is in it."""
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


def _time_of(kinds: Mapping[str, str], time_field: str | None) -> str | None:
    """Return the column of the time: the one of a usual name, else the first of a type of times."""
    ranks: dict[str, int] = {}
    for name, kind in kinds.items():
        is_known = name.lower() in _TIME_NAMES or name == time_field
        if kind.startswith("DateTime") or (is_known and _INTEGER.match(kind)):
            ranks[name] = _TIME_NAMES.index(name.lower()) if name.lower() in _TIME_NAMES else len(_TIME_NAMES)
    if time_field is not None:
        return time_field if time_field in ranks else None
    return min(ranks, key=lambda name: ranks[name], default=None)


def _bare(kind: str) -> str:
    """Return a type without what only says how it is stored."""
    while (found := _WRAPPER.fullmatch(kind)) is not None:
        kind = found[1]
    return kind


def _is_text(kind: str) -> bool:
    return kind.startswith(("String", "FixedString"))


def _as_text(column: str, kind: str) -> str | None:
    """Return the expression of a column's text, None for one that is not searched.

    Inside composite types ClickHouse writes quotes and backslashes with a backslash before them, which
    would hide `a "b"` from a search for it.
    """
    if _is_text(kind):
        return column
    if kind.startswith(_PLAIN):
        return f"toString({column})"
    if kind.startswith("Map"):
        parts = ", ".join(
            f"arrayMap(x -> toString(x), {part}({column}))" for part in ("mapKeys", "mapValues")
        )
        return f"arrayStringConcat(arrayConcat({parts}), '\\n')"
    if kind.startswith(_COMPOSITE):
        return f"replaceRegexpAll(toString({column}), '\\\\\\\\(.)', '\\\\1')"
    return None
