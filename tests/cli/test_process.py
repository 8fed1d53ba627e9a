"""The process from outside: signals, closed pipes, encodings, start-up."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from superbiz_cli.cli.streams import STARTING
from tests.support.run_cli import PYTHON, REPOSITORY

FAKE = [PYTHON, "-m", "tests.support.fake_bootstrap"]
ASK = [*FAKE, "diagnose", "payment service times out"]


def start(command: list[str], *, kind: str = "ok", **environ: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env={**os.environ, "FAKE_RUN": kind, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def read_until(process: subprocess.Popen[str], text: str, *, limit_s: float = 30.0) -> str:
    """Return what the process wrote to stderr up to the line that holds `text`."""
    assert process.stderr is not None
    seen = ""
    deadline = time.monotonic() + limit_s
    while text not in seen:
        ready, _, _ = select.select([process.stderr], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"no {text!r} in {seen!r}"
        line = os.read(process.stderr.fileno(), 65_536).decode()
        assert line, f"the process ended after {seen!r}"
        seen += line
    return seen


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_one_signal_cancels_the_run_and_says_so_at_once(number: signal.Signals, code: int) -> None:
    with start(ASK, kind="hang") as process:
        read_until(process, "judge")
        process.send_signal(number)
        said = read_until(process, "stopping; press Ctrl-C again to leave at once")
        out, rest = process.communicate(timeout=20)
    assert process.returncode == code
    assert out == ""
    assert "superbiz: The diagnosis was cancelled." in said + rest
    assert "Traceback" not in said + rest


def test_a_second_signal_leaves_at_once() -> None:
    with start(ASK, kind="hang-for-ever") as process:
        read_until(process, "judge")
        process.send_signal(signal.SIGINT)
        read_until(process, "stopping")
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=5)
    assert process.returncode == 130
    assert "Traceback" not in rest


def test_a_reader_that_leaves_cancels_the_run() -> None:
    with start([*ASK, "--ndjson"], kind="hang") as process:
        assert process.stdout is not None
        assert '"metadata"' in process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=20) == 141
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_an_event_arrives_before_the_run_ends() -> None:
    with start([*ASK, "--ndjson"], kind="hang") as process:
        assert process.stdout is not None
        assert '"metadata"' in process.stdout.readline()
        assert process.poll() is None
        process.terminate()
        process.communicate(timeout=20)


def test_a_closed_pipe_ends_with_141_and_without_a_traceback() -> None:
    with start([*FAKE, "trace", "list", "--limit", "-1", "--json"]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "[\n"
        process.stdout.close()
        assert process.wait(timeout=20) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_stream_that_was_closed_before_the_start_ends_in_one_sentence() -> None:
    program = [PYTHON, "-m", "superbiz_cli", "skills", "list"]

    def without(*closed: str) -> subprocess.CompletedProcess[str]:
        shell = ["sh", "-c", f'exec "$@" {" ".join(closed)}', "sh", *program]
        return subprocess.run(shell, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False)

    no_stdout = without(">&-")
    assert no_stdout.returncode == 1
    assert "cannot be written" in no_stdout.stderr
    assert "Traceback" not in no_stdout.stderr
    assert without("2>&-").returncode == 0
    assert without("<&-").returncode == 0
    assert without("<&-", ">&-", "2>&-").returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["skills", "--help"], ["diagnose", "", "--json"]])
def test_a_full_disk_under_stdout_is_no_internal_error(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [PYTHON, "-m", "superbiz_cli", *arguments],
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode in (1, 2)
    assert "internal error" not in done.stderr
    assert "superbiz: the " in done.stderr


def test_the_first_sign_of_life_comes_before_the_harness_is_imported() -> None:
    command = [PYTHON, "-X", "importtime", "-m", "superbiz_cli", "diagnose", "what can you do?"]
    with start(command) as process:
        _, err = process.communicate(timeout=60)
    before = err.partition(STARTING)[0]
    assert "superbiz_cli.cli.lazy" in before
    assert "superbiz_cli.harness" not in before
    assert "superbiz_cli.harness" in err


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "latin-1"])
def test_any_output_encoding_is_written_without_an_error(encoding: str) -> None:
    with start([*ASK, "--until", "10:00"], PYTHONIOENCODING=encoding) as process:
        assert process.stdout is not None
        out = process.stdout.buffer.read()  # type: ignore[attr-defined]
        assert process.wait(timeout=30) == 0
    assert b"Conclusion" in out
    out.decode(encoding)


def test_stdout_is_flushed_before_stderr_is_written(tmp_path: Path) -> None:
    script = (
        "from superbiz_cli.cli.streams import Streams\n"
        "import sys\n"
        "streams = Streams.of_process()\n"
        "sys.stdout.write('first\\n')\n"
        "streams.note('second')\n"
        "streams.result('third\\n')\n"
        "streams.error('fourth', None)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["first", "second", "third", "superbiz: fourth"]


def test_the_module_is_the_same_program() -> None:
    done = subprocess.run(
        [PYTHON, "-m", "superbiz_cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    assert done.stdout.startswith("superbiz ")
