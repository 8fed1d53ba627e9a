"""The redactor: stable numbers, streams, placeholders that stay placeholders."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.tool.redact import Redactor

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\nxyz==\n-----END RSA PRIVATE KEY-----"


def test_the_same_value_gets_the_same_placeholder_within_a_run() -> None:
    redactor = Redactor()
    assert redactor.redact("from 10.0.0.1 to 10.0.0.2") == "from [REDACTED_IP] to [REDACTED_IP#2]"
    assert redactor.redact("again 10.0.0.2") == "again [REDACTED_IP#2]"


def test_another_run_counts_anew() -> None:
    Redactor().redact("10.0.0.1")
    assert Redactor().redact("10.0.0.2") == "[REDACTED_IP]"


def test_kinds_are_numbered_apart() -> None:
    assert (
        Redactor().redact("password=hunter22 from 10.0.0.1")
        == "password=[REDACTED_PASSWORD] from [REDACTED_IP]"
    )


def test_the_port_of_an_address_does_not_make_it_another_address() -> None:
    redactor = Redactor()
    assert redactor.redact("10.0.0.1:5001") == "[REDACTED_IP]:[REDACTED_PORT]"
    assert redactor.redact("10.0.0.1:5002") == "[REDACTED_IP]:[REDACTED_PORT#2]"


def test_a_private_key_over_several_lines_of_a_stream_is_removed_as_a_whole() -> None:
    lines = ["before\n", *(line + "\n" for line in KEY.split("\n")), "after\n"]
    text = "".join(Redactor().redact_lines(lines))
    assert "MIIabc" not in text
    assert "xyz" not in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")


def test_a_private_key_whose_end_was_cut_off_is_removed_to_the_end() -> None:
    assert "MIIabc" not in Redactor().redact("loaded -----BEGIN PRIVATE KEY-----\nMIIabc")


def test_a_long_text_is_redacted_to_its_end_and_a_key_across_pieces_too() -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIabc defg\n" * 3_000 + "-----END PRIVATE KEY-----"
    text = Redactor().redact(f"{'word ' * 20_000}{key} password=hunter22 {'word ' * 5_000}10.0.0.1")
    assert "MIIabc" not in text
    assert "hunter22" not in text
    assert text.endswith("[REDACTED_IP]")


def test_characters_used_as_marks_cannot_be_smuggled_in() -> None:
    text = Redactor().redact("\U000f0000 password=hunter22")
    assert text == "\ufffd password=[REDACTED_PASSWORD]"


@given(st.text(max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = Redactor().redact(text)
    assert Redactor().redact(once) == once


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_labelled_password_never_survives(before: str, after: str) -> None:
    assert "s3cr3tVALUE" not in Redactor().redact(f"{before} password=s3cr3tVALUE {after}")
