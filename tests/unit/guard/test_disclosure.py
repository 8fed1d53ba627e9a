"""What the models were told is not published as a finding, however it is dressed up."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from superbiz_cli.harness.guard.disclosure import Instructions, check_disclosure, quoted
from superbiz_cli.harness.guard.evidence import Verified, verify_evidence
from tests.support.drafts import a_catalog, a_draft, a_store, item, logs_record
from tests.support.guarding import RUN_ID

TOLD = (
    "You are the keeper of the gate.\n"
    "Search the ledger for every entry between the first and the last bell, then count what is missing.\n"
    "每次只调用一个工具，并且在得到结果之后先评价它是否带来了新的信息。\n"
    "Mark: zq-canary-77310."
)
SENTENCE = "Search the ledger for every entry between the first and the last bell"
CHINESE = "并且在得到结果之后先评价它是否带来了新的信息"
INSTRUCTIONS = Instructions((TOLD,))


def recited(text: str, *, instructions: Instructions = INSTRUCTIONS, known: str = "") -> bool:
    return bool(instructions.recited_in({"text": text}, known=[known]))


@pytest.mark.parametrize(
    "text",
    [
        f"My orders: {SENTENCE}.",
        SENTENCE.upper(),
        " ".join(SENTENCE),
        SENTENCE.replace(" ", "_"),
        "**" + SENTENCE.replace(" ", "** **") + "**",
        SENTENCE.replace("e", "\\u200be"),
        "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in SENTENCE),
        f"指令如下：{CHINESE}。",
        "、".join(CHINESE),
        "I begin with: you are the keeper of the gate",
        "the mark is ZQ-Canary-77310",
    ],
)
def test_a_recital_is_found_however_it_is_spelled(text: str) -> None:
    assert recited(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The ledger holds no entry for the last bell.",
        "Search the ledger for every entry of the payment service.",
        "得到结果之后先评价",
        "canary-77310 is another mark",
        "you are the keeper",
    ],
)
def test_a_phrase_in_common_is_no_recital(text: str) -> None:
    assert not recited(text)


def test_what_the_question_or_the_evidence_says_may_be_repeated() -> None:
    for text in (SENTENCE, CHINESE, "You are the keeper of the gate.", "zq-canary-77310"):
        assert not recited(text, known=f"it says: {text}")


def test_what_is_written_for_the_reader_may_be_published() -> None:
    instructions = Instructions((TOLD,), public=(SENTENCE,))
    assert not recited(SENTENCE, instructions=instructions)
    assert recited(SENTENCE + ", then count what is missing", instructions=instructions)


@pytest.mark.parametrize("order", [1, -1])
def test_what_may_be_published_may_stand_beside_any_other_text(order: int) -> None:
    public = "Add the missing index or move this statement off the database"
    told = Instructions((f"{TOLD}\nen: {public} zh: 先补索引",), public=(public,))
    beside = ("kill what is still run" if order > 0 else "zh", public)
    texts = dict(zip("ab", beside[::order], strict=True))
    assert told.recited_in(texts) == ()
    assert "c" in told.recited_in({**texts, "c": SENTENCE})


def test_a_recital_cut_into_small_pieces_that_are_all_known_is_still_found() -> None:
    pieces = {str(number): word for number, word in enumerate(SENTENCE.split())}
    assert INSTRUCTIONS.recited_in(pieces, known=pieces.values()) != ()


def test_without_instructions_nothing_is_a_recital() -> None:
    assert not recited(SENTENCE, instructions=Instructions())


def test_a_sentence_that_is_spread_over_several_texts_is_found_where_it_begins() -> None:
    words = SENTENCE.split()
    texts = {"before": "37 timeouts. ", "a": " ".join(words[:5]), "b": " ".join(words[5:]), "after": "end"}
    assert INSTRUCTIONS.recited_in(texts) == ("a",)


FIELDS: dict[str, dict[str, Any]] = {
    "analysis[0].text": {"items": [item(SENTENCE)]},
    "conclusion.text": {"conclusion": SENTENCE},
    "action_plan[0].action": {"action_plan": [{"action": SENTENCE, "based_on_analysis_ids": ["a1"]}]},
    "recommendations[0].text": {"recommendations": [{"text": SENTENCE, "based_on_analysis_ids": ["a1"]}]},
    "limitations.checked_scope": {"limitations": {"checked_scope": SENTENCE}},
    "limitations.missing_info[1]": {"limitations": {"missing_info": ["the gateway log", SENTENCE]}},
    "limitations.caveats[0]": {"limitations": {"caveats": [SENTENCE]}},
}


@pytest.mark.parametrize("target", FIELDS)
def test_no_text_of_a_draft_holds_a_recital(target: str) -> None:
    fields = dict(FIELDS[target])
    draft = a_draft(*fields.pop("items", ()), **fields)
    [violation] = check_disclosure(draft, (), INSTRUCTIONS, query="")
    assert (violation.code.value, violation.target) == ("INSTRUCTIONS_DISCLOSED", target)


def test_a_draft_without_a_recital_has_no_violation() -> None:
    assert check_disclosure(a_draft(limitations=None), (), INSTRUCTIONS, query="") == ()


def test_every_string_of_the_evidence_counts_as_known() -> None:
    verified = verify_evidence(a_draft(), run_id=RUN_ID, store=a_store(logs_record()), catalog=a_catalog())
    assert isinstance(verified, Verified)
    message = "Connection is not available, request timed out after 30000ms"
    assert {"why?", message} <= set(quoted(verified.evidence, "why?"))
    assert recited(message, instructions=Instructions((message,)))
    draft = a_draft(item(message))
    assert check_disclosure(draft, verified.evidence, Instructions((message,)), query="") == ()


def test_an_encoded_recital_is_no_word_of_it() -> None:
    """Only what reads as the instructions is one; figures and names are the claim check's matter."""
    assert not recited(base64.b64encode(SENTENCE.encode()).decode())
