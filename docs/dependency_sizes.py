"""Print the installed size of each direct dependency in MB: the figures of docs/dependencies.md."""

from __future__ import annotations

import re
import sys
from importlib.metadata import distribution, requires
from pathlib import Path


def size_mb(package: str) -> float:
    """Return the size of the files of an installed package, without what it depends on."""
    found = distribution(package)
    paths = (Path(str(found.locate_file(file))) for file in found.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> None:
    """Print one line a package."""
    for requirement in requires("superbiz") or []:
        if "extra == 'dev'" not in requirement.replace('"', "'"):
            name = re.split(r"[<>=!~;\s\[]", requirement, maxsplit=1)[0]
            sys.stdout.write(f"{name:<14} {size_mb(name):7.1f}\n")


if __name__ == "__main__":
    main()
