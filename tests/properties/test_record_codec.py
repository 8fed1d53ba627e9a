from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.contract.status import EvidenceStatus, InvocationStatus
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolName
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, StoreError, StoreFault
from superbiz_cli.harness.tool.record_codec import decode_record, encode_record, is_well_formed_key
from tests.support.fakes import ready_record

AMPLE = 1 << 20
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
IDENTITY = {
    "run_id": TEXT,
    "tool_call_id": TEXT,
    "tool_name": st.sampled_from(ToolName),
    "request": TEXT,
    "started_at": TEXT,
}
RECORDS = st.one_of(
    st.builds(CanonicalInvocation, **IDENTITY, status=st.just(InvocationStatus.PROJECTING)),
    st.builds(
        CanonicalInvocation,
        **IDENTITY,
        status=st.just(InvocationStatus.READY),
        evidence_status=st.sampled_from([EvidenceStatus.EVIDENCE_FOUND, EvidenceStatus.NO_EVIDENCE]),
        raw_response=TEXT,
        agent_result=TEXT,
        completed_at=TEXT,
    ),
    st.builds(
        CanonicalInvocation,
        **IDENTITY,
        status=st.just(InvocationStatus.ERROR),
        evidence_status=st.just(EvidenceStatus.ERROR),
        raw_response=st.one_of(st.none(), TEXT),
        error_code=st.sampled_from(ToolErrorCode),
        completed_at=TEXT,
    ),
)


@given(RECORDS)
def test_every_record_is_read_as_it_was_written(record: CanonicalInvocation) -> None:
    assert decode_record(encode_record(record, max_bytes=AMPLE), max_bytes=AMPLE) == record


@given(RECORDS)
def test_a_record_has_one_encoding(record: CanonicalInvocation) -> None:
    encoded = encode_record(record, max_bytes=AMPLE)
    assert encode_record(decode_record(encoded, max_bytes=AMPLE), max_bytes=AMPLE) == encoded


@given(RECORDS, st.data())
def test_damaged_bytes_are_corrupt_or_another_legal_record_and_never_anything_else(
    record: CanonicalInvocation, data: st.DataObject
) -> None:
    encoded = bytearray(encode_record(record, max_bytes=AMPLE))
    position = data.draw(st.integers(min_value=0, max_value=len(encoded) - 1))
    encoded[position] = data.draw(st.integers(min_value=0, max_value=255))
    fault = None
    try:
        decoded = decode_record(bytes(encoded), max_bytes=AMPLE)
    except StoreError as error:
        fault = error.fault
    else:
        assert isinstance(decoded, CanonicalInvocation)
    assert fault in {None, StoreFault.CORRUPT}


@given(RECORDS)
def test_the_limit_is_the_size_of_the_encoding(record: CanonicalInvocation) -> None:
    size = len(encode_record(record, max_bytes=AMPLE))
    assert len(encode_record(record, max_bytes=size)) == size
    with pytest.raises(StoreError) as caught:
        encode_record(record, max_bytes=size - 1)
    assert caught.value.fault is StoreFault.TOO_LARGE


def test_a_record_that_holds_no_text_cannot_be_written() -> None:
    with pytest.raises(StoreError) as caught:
        encode_record(ready_record("run-1", "ev-1", agent_result="\udc80"), max_bytes=AMPLE)
    assert caught.value.fault is StoreFault.CORRUPT


@pytest.mark.parametrize("value", ["1", "null", "[]", "{}", "true"])
def test_another_kind_of_value_where_a_text_belongs_is_corrupt(value: str) -> None:
    encoded = encode_record(ready_record("run-1", "ev-1"), max_bytes=AMPLE)
    with pytest.raises(StoreError) as caught:
        decode_record(encoded.replace(b'"run-1"', value.encode()), max_bytes=AMPLE)
    assert caught.value.fault is StoreFault.CORRUPT


@given(TEXT)
def test_a_key_is_made_of_letters_digits_and_three_signs(text: str) -> None:
    is_legal = 0 < len(text) <= 128 and all(
        char.isascii() and (char.isalnum() or char in "._-") for char in text
    )
    assert is_well_formed_key("run-1", text) == is_legal
    assert is_well_formed_key(text, "ev-1") == is_legal
