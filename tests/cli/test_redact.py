"""`superbiz redact`: a filter that changes nothing but what must not leave."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path

import pytest

from superbiz_cli.cli.redact import lines_of
from tests.support.run_cli import PYTHON, REPOSITORY, run_cli
from tests.support.shared_data import shared_lines

SECRET = "Hunter2Secret!"
COMMAND = [PYTHON, "-m", "superbiz_cli", "redact"]


def filtered(content: bytes) -> bytes:
    done = subprocess.run(COMMAND, input=content, capture_output=True, check=True, cwd=REPOSITORY)
    assert done.stderr == b""
    return done.stdout


def test_secrets_are_replaced_and_everything_else_stays_byte_for_byte() -> None:
    around = b"\xef\xbb\xbfplain\r\n\n\xff\xfe\x00 bytes \x1b[31mred\x1b[0m\ttab \xe4\xb8\xad\n"
    content = around + f"login password={SECRET}".encode()
    assert filtered(content) == around + b"login password=[REDACTED_PASSWORD]"


def test_nothing_in_is_nothing_out() -> None:
    assert filtered(b"") == b""


def test_one_value_keeps_its_number_over_all_lines() -> None:
    lines = filtered(b"from 203.0.113.7\nfrom 203.0.113.9\nfrom 203.0.113.7\n").decode().splitlines()
    assert lines == ["from [REDACTED_IP]", "from [REDACTED_IP#2]", "from [REDACTED_IP]"]


@pytest.mark.parametrize(("mark", "encoding"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")])
def test_a_utf_16_text_is_read_as_one(mark: bytes, encoding: str) -> None:
    content = mark + f"密码 password={SECRET}\r\nnext\r\n".encode(encoding)
    assert filtered(content) == mark + "密码 password=[REDACTED_PASSWORD]\r\nnext\r\n".encode(encoding)


def test_a_key_over_several_lines_is_removed_as_a_whole() -> None:
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    out = filtered(f"before\n{begin}\nMIIEvQIBADANBgkq\nhkiG9w0BAQEF\n{end}\nafter\n".encode()).decode()
    assert "MIIEvQ" not in out
    assert "hkiG9w" not in out
    assert out.startswith("before\n")
    assert out.endswith("after\n")


def test_each_line_leaves_before_the_next_one_comes() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=REPOSITORY) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"password={SECRET}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline() == b"password=[REDACTED_PASSWORD]\n"
        process.stdin.close()
        assert process.wait() == 0


def test_a_reader_that_leaves_ends_the_filter_with_141() -> None:
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=REPOSITORY,
        env=environ,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, err = process.communicate(b"line\n" * 10)
        assert (process.returncode, err) == (141, b"")


def test_the_result_can_go_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "clean.log"
    done = run_cli("redact", "-o", str(target), stdin=b"\xff password=" + SECRET.encode() + b"\n")
    assert (done.code, done.out) == (0, "")
    assert target.read_bytes() == b"\xff password=[REDACTED_PASSWORD]\n"


def test_a_line_without_an_end_is_cut_where_no_word_is() -> None:
    text = "alpha beta gamma delta " * 3 + "\nlast"
    pieces = list(lines_of(io.StringIO(text), longest=16))
    assert "".join(pieces) == text
    assert all(piece[-1].isspace() for piece in pieces[:-1])


def test_the_given_secrets_do_not_pass() -> None:
    lines = [line for line in shared_lines("redaction", "redaction.jsonl") if line["label"] == "pos"]
    if not lines:
        pytest.skip("no shared data (set SUPERBIZ_TEST_DATA)")
    out = filtered("".join(f"{line['line']}\n" for line in lines).encode()).decode()
    secrets = [secret for line in lines for secret in line["secrets"]]
    left = [secret for secret in secrets if secret in out]
    assert len(left) <= 0.03 * len(secrets), left
