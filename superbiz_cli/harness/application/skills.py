"""Which skills fit a question: matching of triggers and concepts, bounded in number and in characters.

A question must name what a trigger names; a shared everyday word activates nothing. Both languages are
compared as they are written: English by words, Chinese by substrings. What is asked in words of its own
is found by the concepts (`terms`) that it shares with few skills. Symptoms alone activate nothing, nor
does a question that reports no trouble; a skill for one product is none for another (`products`).

Where an embedding model is configured, its likeness (`likeness`) is added: it decides between skills that
words find, and activates one that words find only in part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superbiz_cli.harness.application.concepts import BUSINESS, CONCEPTS, SYMPTOMS
from superbiz_cli.harness.application.products import is_about_another, is_beside, products_in
from superbiz_cli.harness.application.question_words import reports_no_trouble
from superbiz_cli.harness.application.spelling import corrected, known_words
from superbiz_cli.harness.application.terms import terms_of
from superbiz_cli.harness.contract.skill import Skill

MAX_ACTIVE = 2
MAX_PROMPT_CHARS = 12_000
THRESHOLD = 1.0
_FURTHER_SHARE = 0.75
_NAMED_BONUS = 0.3  # the question names the product that the skill is about
_EXCLUDED = -1.0
_BESIDE = 0.6  # it names the product of another skill
_CONCEPT_BONUS = 0.2  # decides between skills whose triggers weigh the same
_CONCEPT_SCORE = 1.25  # from here on concepts activate without a trigger, if they are two or more ...
_CONCEPT_SHARE = 0.45  # ... and make up this share of what the question says
_LIKENESS_WEIGHT = 0.5
_MAX_LIKENESS = 3.0
_LIKENESS_ACTIVATES = 2.0  # standard deviations, together with one shared concept
_APART = 0.6
_DESCRIPTION_WEIGHT = 4.0
_MIN_DESCRIPTION_SHARE = 0.3
_WORD = re.compile(r"[a-z0-9]+|[一-鿿]+")
NO_LIKENESS: Mapping[str, float] = {}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDINGS = ("ions", "ion", "ings", "ing", "ies", "ed", "es", "s", "e", "y")
_EVERYDAY = frozenset(
    """a an the is are was were be to of in on at for and or not no it its this that with from by as we our
    you your i my me use when what why how does do did has have had can could should would will service
    services system server error errors problem issue issues check please help since now today after before
    get gets getting again keeps all some any request requests application app production
    prod""".split()  # noqa: SIM905 (a list of words to read)
)


@dataclass(frozen=True, slots=True)
class SkillMatch:
    """A skill that fits, with its score (>= THRESHOLD) and the triggers that were named."""

    skill: Skill
    score: float
    triggers: tuple[str, ...]


def match_skills(
    query: str, skills: Sequence[Skill], *, likeness: Mapping[str, float] = NO_LIKENESS
) -> tuple[Skill, ...]:
    """Return the skills that are activated for `query`, the best first.

    `likeness` is that of each skill by its name. At most two, of at most 12,000 characters together: what
    does not fit is left out whole.
    """
    active: list[Skill] = []
    used = 0
    for match in rank_skills(query, skills, likeness=likeness)[:MAX_ACTIVE]:
        if used + len(match.skill.guide) <= MAX_PROMPT_CHARS:
            active.append(match.skill)
            used += len(match.skill.guide)
    return tuple(active)


def rank_skills(
    query: str, skills: Sequence[Skill], *, likeness: Mapping[str, float] = NO_LIKENESS
) -> tuple[SkillMatch, ...]:
    """Return the skills that fit `query`, the best first.

    A further one must reach three quarters of the first one's score.
    """
    if reports_no_trouble(query):
        return ()
    query = corrected(query, _vocabulary(skills))
    said = _Said.of(query)
    shared = Counter(trigger.lower() for skill in skills for trigger in skill.triggers)
    named = [_match(said, skill, shared) for skill in skills]
    about = _about(query, skills)
    scored = [_of_product(query, match) for match in map(_with_concepts, named, about)]
    alike = [likeness.get(skill.name, 0.0) for skill in skills]
    matches = [match for match in map(_with_likeness, scored, about, alike) if match.score >= THRESHOLD]
    matches.sort(key=lambda match: (-match.score, match.skill.name))
    return tuple(match for match in matches if match.score >= _FURTHER_SHARE * matches[0].score)


def _vocabulary(skills: Sequence[Skill]) -> frozenset[str]:
    """Return the words that count for these skills, in all the forms in which they are known."""
    texts = [" ".join((skill.name, skill.description, *skill.triggers)) for skill in skills]
    return known_words([*texts, *(english for _, english, _ in CONCEPTS.values()), *_EVERYDAY])


@dataclass(frozen=True, slots=True)
class _Said:
    """A question, prepared once: its text without spacing differences, its stems in order, and all stems.

    The names of classes are divided into their words and kept whole besides.
    """

    text: str
    stems: tuple[str, ...]
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _Said:
        plain = _plain(text)
        stems = tuple(map(_stem, _WORD.findall(_plain(_CAMEL.sub(" ", text)))))
        return cls(plain, stems, frozenset((*stems, *map(_stem, _WORD.findall(plain)))))


@dataclass(frozen=True, slots=True)
class _Shared:
    """What a question and a skill both speak about; what few skills speak about weighs more."""

    score: float
    share: float
    count: int
    has_mechanism: bool = False

    @property
    def suffices(self) -> bool:
        """Whether it activates a skill without a trigger."""
        return (
            self.has_mechanism
            and self.count > 1
            and self.score >= _CONCEPT_SCORE
            and self.share >= _CONCEPT_SHARE
        )


def _about(query: str, skills: Sequence[Skill]) -> list[_Shared]:
    asked = {term: weight for term, weight in terms_of(query).items() if term not in BUSINESS}
    if not asked:
        return [_Shared(0.0, 0.0, 0)] * len(skills)
    profiles = [
        set(terms_of(f"{skill.name} . {skill.description} . {' . '.join(skill.triggers)}"))
        for skill in skills
    ]
    own = zip(skills, profiles, strict=True)
    spread = Counter(term for skill, profile in own if skill.triggers for term in profile)
    whole = sum(asked.values())
    found = []
    for skill, profile in zip(skills, profiles, strict=True):
        both = asked.keys() & profile
        score = sum(asked[term] / max(1, spread[term]) for term in both)
        share = sum(asked[term] for term in both) / whole
        tells = bool(skill.triggers) and any(map(_is_mechanism, both))
        found.append(_Shared(score, share, len(both), has_mechanism=tells))
    return found


def _is_mechanism(term: str) -> bool:
    return term in CONCEPTS and term not in SYMPTOMS


def _with_concepts(match: SkillMatch, shared: _Shared) -> SkillMatch:
    if match.score < THRESHOLD and not shared.suffices:
        return match
    base = max(match.score, THRESHOLD) if shared.suffices else match.score
    return SkillMatch(match.skill, base + _CONCEPT_BONUS * shared.score, match.triggers)


def _with_likeness(match: SkillMatch, shared: _Shared, alike: float) -> SkillMatch:
    """Add the likeness to a skill that words find, at least in part."""
    in_part = match.score > _EXCLUDED and shared.count and alike >= _LIKENESS_ACTIVATES
    if match.score < THRESHOLD and not in_part:
        return match
    bonus = _LIKENESS_WEIGHT * min(max(alike, 0.0), _MAX_LIKENESS)
    return SkillMatch(match.skill, max(match.score, THRESHOLD) + bonus, match.triggers)


def _of_product(query: str, match: SkillMatch) -> SkillMatch:
    """Weigh whether the question names the product that the skill is about, or another one."""
    asked, own = products_in(query), products_in(f"{match.skill.name} {match.skill.description}")
    if is_about_another(asked, own):
        return SkillMatch(match.skill, _EXCLUDED, match.triggers)
    if match.score and any(own.get(kind, frozenset()) & products for kind, products in asked.items()):
        return SkillMatch(match.skill, match.score + _NAMED_BONUS, match.triggers)
    factor = _BESIDE if is_beside(query, asked, own) else 1.0
    return SkillMatch(match.skill, match.score * factor, match.triggers)


def _match(said: _Said, skill: Skill, shared: Mapping[str, int]) -> SkillMatch:
    hits = sorted(
        (
            (weight / shared[trigger.lower()], trigger)
            for trigger in skill.triggers
            if (weight := _weight(said, trigger))
        ),
        reverse=True,
    )
    score = _sum_of_new(hits)
    if not skill.triggers:
        score = _description_score(said, skill)
    if score and any(_weight(said, service) for service in skill.services):
        score += 0.25
    return SkillMatch(skill, score, tuple(trigger for _, trigger in hits))


def _sum_of_new(hits: Sequence[tuple[float, str]]) -> float:
    """Add up triggers, the weightiest first: each half as much, and only for words of its own."""
    score, factor = 0.0, 1.0
    counted: set[str] = set()
    for weight, trigger in hits:
        parts = [_said_part(part) for part in _WORD.findall(_plain(trigger))]
        fresh = [part for part in parts if not _is_counted(part, counted)]
        if fresh:
            score += weight * factor * len(fresh) / len(parts)
            factor /= 2
            counted.update(fresh)
    return score


def _is_counted(part: str, counted: set[str]) -> bool:
    return part in counted or (not part.isascii() and any(part in known for known in counted))


def _weight(said: _Said, trigger: str) -> float:
    """Return how much is said by naming `trigger`: 0 if a part of it is missing, more for longer ones.

    Parts are separated by spaces. A Chinese part must occur as written, an English one as a word;
    parts that stand apart in the question weigh less.
    """
    parts = [_said_part(part) for part in _WORD.findall(_plain(trigger))]
    if not parts or not all(part in said.words if part.isascii() else part in said.text for part in parts):
        return 0.0
    length = sum(1.0 if part.isascii() else max(1.0, len(part) / 2) for part in parts)
    return length if _in_a_row(said, parts) else length * _APART


def _said_part(word: str) -> str:
    return _stem(word) if word.isascii() else word


def _in_a_row(said: _Said, parts: Sequence[str]) -> bool:
    if len(parts) == 1:
        return True
    if all(part.isascii() for part in parts):
        return any(said.stems[i : i + len(parts)] == tuple(parts) for i in range(len(said.stems)))
    return "".join(parts) in said.text.replace(" ", "")


def _description_score(said: _Said, skill: Skill) -> float:
    """Score a skill without triggers by its name and description."""
    asked = {stem for stem in said.stems if stem not in _EVERYDAY and len(stem) > 1}
    about = set(_Said.of(f"{skill.name} {skill.description}").stems)
    share = len(asked & about) / len(asked) if asked else 0.0
    return share * _DESCRIPTION_WEIGHT if share >= _MIN_DESCRIPTION_SHARE and len(asked & about) > 1 else 0.0


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("-", " ").replace("_", " ").split())


def _stem(word: str) -> str:
    """Cut the commonest English endings, so that "timeouts" and "timeout" are one word."""
    if not word.isascii() or len(word) < 5 or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word
