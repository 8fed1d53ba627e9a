"""The time zone of this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo


def local_zone_name(environ: Mapping[str, str] | None = None) -> str:
    """Return the IANA name of this machine's time zone, "UTC" if it cannot be told."""
    candidates = [(os.environ if environ is None else environ).get("TZ", "").lstrip(":")]
    with suppress(OSError):
        candidates.append(str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2])
    for name in candidates:
        if not name:
            continue
        try:
            ZoneInfo(name)
        except (KeyError, OSError, ValueError):
            continue
        return name
    return "UTC"
