"""Are the figures, names, times and quotations of a draft in the evidence that it cites? No model.

Reading order: `check` (each statement against what it cites), `scan` (a text taken apart),
`contradictions` (a statement against itself), `support` (one part against the evidence), `corpus` (the
evidence as it is searched), then what counts as the same: `tolerance`, `counting` and `derivations`.
"""

from superbiz_cli.harness.guard.claims.check import check_claims

__all__ = ["check_claims"]
