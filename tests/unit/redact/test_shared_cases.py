"""The shared redaction cases: recall of the secrets, and what must stay readable."""

from __future__ import annotations

from superbiz_cli.harness.tool.redact import Redactor
from tests.support.shared_data import shared_data, shared_lines


def test_at_least_97_percent_of_the_secrets_are_removed() -> None:
    shared_data("redaction")
    cases = [case for case in shared_lines("redaction", "redaction.jsonl") if case["label"] == "pos"]
    secrets = [(case["line"], secret) for case in cases for secret in case["secrets"]]
    leaked = [(line, secret) for line, secret in secrets if secret in Redactor().redact(line)]
    assert secrets
    assert len(leaked) <= 0.03 * len(secrets), leaked


def test_at_least_98_percent_of_the_negatives_stay_intact() -> None:
    shared_data("redaction")
    cases = [case for case in shared_lines("redaction", "redaction.jsonl") if case["label"] == "neg"]
    broken = [
        case["line"]
        for case in cases
        if any(keep not in Redactor().redact(case["line"]) for keep in case["keep"])
    ]
    assert cases
    assert len(broken) <= 0.02 * len(cases), broken


def test_what_surrounds_a_secret_stays_readable() -> None:
    shared_data("redaction")
    cases = [case for case in shared_lines("redaction", "redaction.jsonl") if case["label"] == "pos"]
    keeps = [(case["line"], keep) for case in cases for keep in case["keep"]]
    lost = [(line, keep) for line, keep in keeps if keep not in Redactor().redact(line)]
    assert len(lost) <= 0.02 * len(keeps), lost
