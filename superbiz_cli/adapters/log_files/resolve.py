"""Supply what a stamp leaves open: the zone of the source, the year, the date."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from superbiz_cli.adapters.log_files.stamps import DAY_US, LEAP_YEAR, SECOND_US, Lacks, Stamp, day_us
from superbiz_cli.harness.tool.logs.contract import from_us, to_us

_HOUR_US = 3600 * SECOND_US
_SLACK_US = 60 * SECOND_US
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


class Resolver:
    """Turns stamps of one file into instants.

    `reference` (aware) is the latest time that an event can have. `first_day` is the day of the first
    bare time, None if the file's name does not tell: then it is the day of the reference. Bare times are
    counted on: where the clock falls back by more than an hour, a new day has begun.
    """

    def __init__(self, *, zone: ZoneInfo, reference: datetime, first_day: date | None = None) -> None:
        self.zone = zone
        self._reference_wall_us = to_us(reference.astimezone(zone).replace(tzinfo=UTC))
        self._year_of_day: dict[int, int] = {}
        self._offset_of_hour: dict[int, int] = {}
        self._first_day = first_day
        self._day_us: int | None = None
        self._clock_us = 0

    def resolve(self, stamp: Stamp) -> int:
        """Return the instant in microseconds since 1970 in UTC."""
        wall_us = self.wall_us(stamp)
        if stamp.offset_s is not None:
            return wall_us - stamp.offset_s * SECOND_US
        return wall_us - self._offset_us(wall_us)

    def wall_us(self, stamp: Stamp) -> int:
        """Return the wall clock of `stamp` with its year and date supplied."""
        if stamp.lacks is Lacks.NOTHING:
            return stamp.wall_us
        if stamp.lacks is Lacks.YEAR:
            day, clock = divmod(stamp.wall_us, DAY_US)
            start = self._year_of_day.get(day)
            if start is None:
                start = self._year_of_day[day] = self._latest_day_us(day)
            return start + clock
        return self._on_its_day(stamp.wall_us)

    def anchor(self, latest: Stamp) -> None:
        """Take the file's latest stamp, which has no year, for the reference of the others."""
        self._reference_wall_us = self.wall_us(latest)
        self._year_of_day.clear()

    def anchor_year(self, year: int, latest: Stamp | None) -> None:
        """Take `year` for the file's first stamps, and the year of `latest` by its day, for the reference."""
        self._reference_wall_us = day_us(year, 12, 31)
        self._year_of_day.clear()
        if latest is not None:
            self.anchor(latest)

    def begin_on(self, first_day: date) -> None:
        """Set the day of the first bare time."""
        self._first_day = first_day
        self._day_us = None

    def _latest_day_us(self, leap_day: int) -> int:
        """Return the latest such day not after the reference, one day of slack for zones."""
        wanted = date.fromordinal(_EPOCH_ORDINAL + leap_day)
        latest = self._reference_wall_us + DAY_US
        year = from_us(self._reference_wall_us).year + 1
        while year > LEAP_YEAR:
            try:
                start = day_us(year, wanted.month, wanted.day)
            except ValueError:  # 29 February
                start = latest + 1
            if start <= latest:
                return start
            year -= 1
        return leap_day * DAY_US

    def _on_its_day(self, clock_us: int) -> int:
        if self._day_us is None:
            if self._first_day is not None:
                self._day_us = (self._first_day.toordinal() - _EPOCH_ORDINAL) * DAY_US
            else:
                self._day_us = self._reference_wall_us // DAY_US * DAY_US
                if self._day_us + clock_us > self._reference_wall_us + _SLACK_US:
                    self._day_us -= DAY_US
        elif clock_us < self._clock_us - _HOUR_US:
            self._day_us += DAY_US
        self._clock_us = clock_us
        return self._day_us + clock_us

    def _offset_us(self, wall_us: int) -> int:
        hour = wall_us // _HOUR_US
        offset = self._offset_of_hour.get(hour)
        if offset is None:
            wall = from_us(hour * _HOUR_US).replace(tzinfo=self.zone)
            delta = wall.utcoffset() or timedelta()
            offset = self._offset_of_hour[hour] = delta // timedelta(microseconds=1)
        return offset
