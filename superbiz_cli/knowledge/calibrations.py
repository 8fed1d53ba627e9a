"""Constants of `quality` that were fitted for embedding models that we know.

Fitted on judged queries (alerts, identifiers, symptoms, cross-lingual, typos, and questions without an
answer) over some 4,000 passages of real runbooks; `superbiz kb eval GOLDEN --calibrate` fits others.
"""

from __future__ import annotations

from collections.abc import Mapping

from superbiz_cli.knowledge.records import Calibration

CALIBRATIONS: Mapping[str, Calibration] = {
    "multilingual-e5-small-q4": Calibration(
        embedder="multilingual-e5-small-q4",
        cosine_weight=11.82,
        coverage_weight=4.85,
        intercept=-6.18,
        passages=4_000,
    )
}
