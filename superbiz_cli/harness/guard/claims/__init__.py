"""Are the figures, names, times and quotations of a draft in the evidence that it cites? No model.

Reading order: `check` (what is asked of each statement), `scan` (a text taken apart), `corpus` (the
evidence as it is searched), `tolerance`, `counting` and `derivations` (what counts as the same).
"""

from superbiz_cli.harness.guard.claims.check import check_claims

__all__ = ["check_claims"]
