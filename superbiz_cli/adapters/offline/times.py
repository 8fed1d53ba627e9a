"""Times as a reader of a report wants them: in the zone of the observation, without what is obvious."""

from __future__ import annotations

from datetime import datetime


def clock_time(moment: datetime | None, window: tuple[datetime, datetime] | None = None) -> str | None:
    """Write a time as HH:MM:SS, with its date if the window spans more than one day; None for None."""
    if moment is None:
        return None
    if window is not None and window[0].date() == window[1].astimezone(window[0].tzinfo).date():
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def window_text(window: tuple[datetime, datetime]) -> str:
    """Write a window as "YYYY-MM-DD HH:MM-HH:MM +HH:MM", with the second date where it differs."""
    start, end = window
    end = end.astimezone(start.tzinfo)
    until = end.strftime("%H:%M") if start.date() == end.date() else end.strftime("%Y-%m-%d %H:%M")
    offset = start.strftime("%z")
    zone = f"{offset[:3]}:{offset[3:5]}" if offset else ""
    return f"{start.strftime('%Y-%m-%d %H:%M')}–{until} {zone}".rstrip()
