"""A lookup's traces as one JSON value, for `kb search --explain --json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from superbiz_cli.knowledge.lookup import LookupResult
from superbiz_cli.knowledge.trace import plain_json


def explanation(result: LookupResult) -> dict[str, Any]:
    """Return what the query was taken for, all attempts, and every candidate with its scores."""
    view = asdict(result.view)
    view["terms"] = {term: round(weight, 4) for term, weight in result.view.terms.items()}
    return {
        "query": view,
        "retrieval": plain_json(asdict(result.retrieval)),
        "rating": plain_json([asdict(rating) for rating in result.ratings]),
        "packing": {
            "used_chars": result.packed.used_chars,
            "budget_chars": result.packed.budget_chars,
            "omitted": list(result.packed.omitted),
        },
    }
