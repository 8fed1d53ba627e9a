"""Grouping accuracy of the log patterns on the loghub 2k samples.

Usage: python benchmarks/pattern_grouping.py FOLDER

FOLDER holds `*_2k.log_structured.csv` files of https://github.com/logpai/loghub (columns Content and
EventId). Grouping accuracy (Zhu et al., ICSE-SEIP 2019): the share of lines whose group holds exactly
the lines of one true event.
"""

from __future__ import annotations

import csv
import sys
import time
from collections import Counter
from pathlib import Path

from superbiz_cli.harness.tool.logs.http_status import failing_status
from superbiz_cli.harness.tool.logs.patterns import mask, merge_templates


def groups_of(messages: list[str]) -> list[tuple[int, str]]:
    """Return the group of each message, as a tally would form it."""
    shapes = [(mask(message), failing_status(message)) for message in messages]
    counts = Counter(shapes)
    leader: dict[tuple[str, str], tuple[int, str]] = {}
    for status in {status for _, status in shapes}:
        templates = sorted(
            (text for text, its in counts if its == status), key=lambda t: (-counts[t, status], t)
        )
        for text, first in zip(templates, merge_templates(templates), strict=True):
            leader[text, status] = (first, status)
    return [leader[shape] for shape in shapes]


def grouping_accuracy(found: list[tuple[int, str]], true: list[str]) -> float:
    """Return the share of lines in groups that equal a true group."""
    found_size, true_size, both = Counter(found), Counter(true), Counter(zip(found, true, strict=True))
    right = sum(n for (group, event), n in both.items() if n == found_size[group] == true_size[event])
    return right / len(true)


def main(folder: Path) -> None:
    """Print the accuracy of each file and their mean."""
    accuracies = []
    for path in sorted(folder.glob("*_structured.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        messages = [row["Content"] for row in rows]
        begin = time.perf_counter()
        found = groups_of(messages)
        micros = (time.perf_counter() - begin) / len(messages) * 1e6
        accuracy = grouping_accuracy(found, [row["EventId"] for row in rows])
        accuracies.append(accuracy)
        print(f"{path.name.partition('_')[0]:14} {accuracy:.3f}  {micros:6.1f} us a line")
    print(f"{'mean':14} {sum(accuracies) / len(accuracies):.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
