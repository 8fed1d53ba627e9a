"""Cases as a YAML file, to be reviewed and versioned like code.

Reading is strict: one document, known keys, right types, no alias bombs; what is wrong is named by case
and key, in our own words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import yaml
from pydantic import Field, ValidationError

from superbiz_cli.adapters.strict_yaml import StrictYamlError, load_strict_yaml
from superbiz_cli.harness.contract.case import Case
from superbiz_cli.harness.contract.strict import StrictModel

SCHEMA = "superbiz.cases/v1"
MAX_FILE_BYTES = 32 * 1024 * 1024
_WIDTH = 100
_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class CaseFileFault(ValueError):
    """A file of cases cannot be used; `str()` says where and why, in our own words."""


class _CaseShape(StrictModel):
    id: str = Field(pattern=_ID)
    symptoms: tuple[str, ...] = Field(min_length=1)
    root_cause: str = Field(min_length=1)
    solution: str = ""
    services: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    note: str = ""
    run: str | None = Field(default=None, pattern=_ID)
    confirmed: str | None = None


def write_cases(cases: Sequence[Case]) -> str:
    """Return the YAML text of `cases`; keys without a value are left out."""
    entries = [{key: value for key, value in _entry(case).items() if value} for case in cases]
    return str(
        yaml.dump(
            {"schema": SCHEMA, "cases": entries},
            Dumper=_Dumper,
            sort_keys=False,
            allow_unicode=True,
            width=_WIDTH,
        )
    )


def read_cases(text: str, *, now: datetime) -> tuple[Case, ...]:
    """Read a file of cases; one without a date was confirmed `now`. Raises CaseFileFault."""
    document = _load(text)
    if not isinstance(document, dict) or set(document) - {"schema", "cases"}:
        raise CaseFileFault("the file must hold the keys schema and cases, and no other")
    if document.get("schema") != SCHEMA:
        raise CaseFileFault(f"schema must be {SCHEMA}")
    entries = document.get("cases")
    if not isinstance(entries, list):
        raise CaseFileFault("cases must be a list")
    cases = tuple(_case(entry, f"cases[{index}]", now) for index, entry in enumerate(entries))
    seen: set[str] = set()
    for index, case in enumerate(cases):
        if case.case_id in seen:
            raise CaseFileFault(f"cases[{index}]: the id {case.case_id} is used twice")
        seen.add(case.case_id)
    return cases


def _entry(case: Case) -> dict[str, Any]:
    return {
        "id": case.case_id,
        "symptoms": list(case.symptoms),
        "root_cause": case.root_cause,
        "solution": case.solution,
        "services": list(case.services),
        "documents": list(case.documents),
        "note": case.note,
        "run": case.run_id,
        "confirmed": case.created_at.astimezone(UTC).isoformat(),
    }


def _load(text: str) -> Any:
    try:
        return load_strict_yaml(text, max_values=max(1_000, len(text)))  # enough for any without aliases
    except StrictYamlError as error:
        where = "the file" if error.line is None else f"line {error.line}"
        raise CaseFileFault(f"{where}: {error.problem}") from error


def _case(entry: Any, at: str, now: datetime) -> Case:
    shape = _shape(entry, at)
    if not any(text.strip() for text in shape.symptoms) or not shape.root_cause.strip():
        raise CaseFileFault(f"{at}: symptoms and root_cause must not be blank")
    return Case(
        case_id=shape.id,
        symptoms=shape.symptoms,
        root_cause=shape.root_cause,
        created_at=_time(shape.confirmed, at, now),
        solution=shape.solution,
        services=shape.services,
        documents=shape.documents,
        note=shape.note,
        run_id=shape.run,
    )


def _shape(entry: Any, at: str) -> _CaseShape:
    if not isinstance(entry, dict) or not all(isinstance(key, str) for key in entry):
        raise CaseFileFault(f"{at} must be a mapping of keys to values")
    values = {
        key: value.isoformat() if isinstance(value, date) else value  # YAML reads a bare date as one
        for key, value in entry.items()
    }
    try:
        return _CaseShape.model_validate_json(json.dumps(values, ensure_ascii=False, allow_nan=False))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CaseFileFault(f"{at}.{where}: {_PROBLEMS.get(first['type'], 'has the wrong type')}") from error
    except (TypeError, ValueError) as error:
        raise CaseFileFault(f"{at} holds a value that is neither a text nor a list of texts") from error


_PROBLEMS = {
    "missing": "is missing",
    "extra_forbidden": "unknown key",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "too_short": "must not be empty",
    "tuple_type": "must be a list of texts",
    "string_pattern_mismatch": "must be letters, digits, dot, underscore and hyphen, at most 64",
}


def _time(stated: str | None, at: str, now: datetime) -> datetime:
    if stated is None:
        return now
    try:
        moment = datetime.fromisoformat(stated)
    except ValueError as error:
        raise CaseFileFault(f"{at}.confirmed: must be a time such as 2026-11-30T10:15:00+08:00") from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
