"""How alike a question and the skills are, asked of the configured embedding endpoint.

Only an endpoint counts as configured for this ([embedding] provider = "litellm"). The built-in model was
measured on the held-out questions: it mends one of 99, and every start would load it.

The vectors of the skills are kept in SUPERBIZ_HOME, by their text and the model, so that a question costs one
short request. Nothing leaves unredacted.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from superbiz_cli.bootstrap.knowledge import open_embedder
from superbiz_cli.errors import SuperbizError
from superbiz_cli.harness.application.likeness import COHORT, likeness, passage_of
from superbiz_cli.harness.contract.limits import AttemptLimits
from superbiz_cli.harness.contract.skill import Skill
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.knowledge.ports import EmbeddingUnavailable
from superbiz_cli.knowledge.records import Vector
from superbiz_cli.knowledge.remembered import ShippedVectors, digest, read_vectors, write_vectors
from superbiz_cli.settings import Settings

CACHE_FILE = "skill-vectors.json"
MAX_QUESTION_CHARS = 2_000
TIMES = AttemptLimits(attempt_s=10.0, total_s=10.0)  # words find a skill, too: not worth a longer wait


@dataclass(frozen=True, slots=True)
class Likeness:
    """Standard deviations by the name of the skill. `problem` says why there are none."""

    by_skill: Mapping[str, float] = field(default_factory=dict)
    problem: str | None = None


def skill_likeness(
    settings: Settings, query: str, skills: Sequence[Skill], *, run: Run, redact: Callable[[str], str]
) -> Likeness:
    """Ask the endpoint. Never raises: of what goes wrong the `problem` tells, and words decide alone."""
    ours = settings.embedding
    passages = {skill.name: ours.passage_prefix + redact(passage_of(skill)) for skill in skills}
    cohort = [ours.query_prefix + text for text in COHORT]
    question = ours.query_prefix + redact(query)[:MAX_QUESTION_CHARS]
    try:
        with run.watching_deadline():
            asked, known = _vectors(settings, question, [*passages.values(), *cohort], run)
        by_skill = {name: known[passage] for name, passage in passages.items()}
        return Likeness(likeness(asked, by_skill, [known[text] for text in cohort]))
    except RunAborted:
        return Likeness(problem="The run ended first.")
    except (EmbeddingUnavailable, SuperbizError) as error:
        return Likeness(problem=str(error))


def _vectors(
    settings: Settings, question: str, texts: Sequence[str], run: Run
) -> tuple[Vector, Mapping[str, Vector]]:
    """Return the vector of `question` and those of `texts`, which are asked for once."""
    model = f"{settings.embedding.name} {settings.embedding.api_base or ''}".strip()
    path = settings.home / CACHE_FILE
    kept = read_vectors(path, model=model).vectors
    known = {text: kept[digest(text)] for text in texts if digest(text) in kept}
    unprefixed = settings.embedding.model_copy(update={"passage_prefix": ""})
    embedder = open_embedder(settings.model_copy(update={"embedding": unprefixed}), times=TIMES)
    assert embedder is not None  # only asked when one is configured
    with closing(embedder):
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        *fresh, asked = embedder.passages([*missing, question], run=run)
        if any(len(vector) != len(asked) for vector in known.values()):  # another model under this name
            missing, known = list(dict.fromkeys(texts)), {}
            *fresh, asked = embedder.passages([*missing, question], run=run)
    known |= dict(zip(missing, fresh, strict=True))
    if missing:
        _keep(path, {digest(text): vector for text, vector in known.items()}, model)
    return asked, known


def _keep(path: Path, vectors: Mapping[str, Vector], model: str) -> None:
    """Replace the file as a whole; two runs may do that at once. It only saves a request."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem)
        os.close(handle)
        try:
            write_vectors(Path(name), ShippedVectors(vectors=vectors), model=model)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
