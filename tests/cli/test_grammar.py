"""The command line as a language: help, versions, typos, shared options, usage errors."""

from __future__ import annotations

import re
from itertools import product

import pytest

from superbiz_cli import __version__
from superbiz_cli.cli.app import COMMANDS, exit_codes
from superbiz_cli.cli.lazy import Stub
from superbiz_cli.errors import EXIT_MEANING, ExitCode
from tests.support.fake_bootstrap import FakeRoot, installed, stored_run
from tests.support.run_cli import REPOSITORY, run_cli


def commands() -> list[tuple[str, ...]]:
    groups = {stub.name for stub in COMMANDS if stub.children}
    return [path for path in paths() if path[-1] not in groups]


def paths(stubs: tuple[Stub, ...] = COMMANDS, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for stub in stubs:
        here = (*above, stub.name)
        found += [here, *paths(stub.children, here)]
    return found


@pytest.mark.parametrize(("path", "flag"), list(product([(), *paths()], ["-h", "--help"])))
def test_every_level_explains_itself_on_stdout(path: tuple[str, ...], flag: str) -> None:
    done = run_cli(*path, flag)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Usage: superbiz")
    assert max(map(len, done.out.splitlines())) <= 100
    assert not set("╭│╰") & set(done.out)


@pytest.mark.parametrize("path", commands())
def test_the_help_of_a_command_leads_with_examples(path: tuple[str, ...]) -> None:
    text = run_cli(*path, "--help").out
    examples, options = text.index("\nExamples:\n"), text.index("\nOptions:\n")
    assert examples < options
    assert f"\n  superbiz {' '.join(path)}" in text or "| superbiz" in text


def test_the_root_help_lists_commands_in_groups_and_every_exit_code() -> None:
    text = run_cli("--help").out
    panels = [f"{panel}:" for panel in dict.fromkeys(stub.panel for stub in COMMANDS)]
    headings = [line for line in text.splitlines() if line.endswith(":")]
    assert headings[-len(panels) - 1 :] == [*panels, "Exit codes:"]
    assert exit_codes() in text
    assert set(EXIT_MEANING) == set(ExitCode)


@pytest.mark.parametrize("arguments", [["-V"], ["--version"], ["--json", "--version"], ["--version", "-q"]])
def test_the_version_is_one_line(arguments: list[str]) -> None:
    done = run_cli(*arguments)
    assert (done.code, done.out, done.err) == (0, f"superbiz {__version__}\n", "")


def test_no_argument_prints_short_help_on_stderr() -> None:
    done = run_cli()
    assert (done.code, done.out) == (2, "")
    assert "Commands:" in done.err
    assert "Options:" not in done.err
    assert len(done.err.splitlines()) <= len(COMMANDS) + 12


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["diagnos", "x"], "no such command 'diagnos'. Did you mean 'diagnose'?", "superbiz --help"),
        (["diag", "x"], "no such command 'diag'", "superbiz --help"),
        (["trace", "lst"], "Did you mean 'list'?", "superbiz trace --help"),
        (["diagnose", "--timeot", "3", "x"], "Did you mean '--timeout'?", "superbiz diagnose --help"),
        (["diagnose", "--deadlin", "3", "x"], "Did you mean '--timeout'?", "superbiz diagnose --help"),
        (["logs", "search", "--from", "10:00"], "Did you mean '--since'?", "superbiz logs search --help"),
        (["diagnose", "--timeout", "soon", "x"], "--timeout", "superbiz diagnose --help"),
        (["trace", "show", "a", "b"], "unexpected extra argument", "superbiz trace show --help"),
        (["diagnose", "x", "--timeout"], "requires an argument", "superbiz diagnose --help"),
        (["trace"], "missing command", "superbiz trace --help"),
        (["trace", "export"], "missing argument", "superbiz trace export --help"),
        (["--format", "xml", "trace", "list"], "xml", "superbiz --help"),
        (["help", "nothing"], "no help topic 'nothing'", "topics: environment, exit-codes, times"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_the_next_step(
    arguments: list[str], message: str, hint: str
) -> None:
    done = run_cli(*arguments)
    assert (done.code, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith("superbiz: ")
    assert message in first
    assert second.startswith(f"hint: {hint}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["trace", "list", "--json", "--ndjson"],
        ["--json", "trace", "list", "--ndjson"],
        ["trace", "list", "--format", "markdown", "--json"],
        ["--no-config", "trace", "list", "--config", "x.toml"],
        ["diagnose", "q", "--session", "a", "--continue"],
    ],
)
def test_options_that_exclude_each_other_are_refused(arguments: list[str]) -> None:
    done = run_cli(*arguments)
    assert done.code == 2
    assert "exclude each other" in done.err + done.out


def test_a_format_may_be_named_twice_if_it_is_the_same() -> None:
    with installed(FakeRoot()):
        assert run_cli("--json", "trace", "list", "--format", "json").json() == []


def test_shared_options_work_before_and_after_the_command() -> None:
    with installed(FakeRoot(runs=[stored_run()])):
        before, after = run_cli("--json", "trace", "list"), run_cli("trace", "list", "--json")
    assert before == after
    assert before.json()[0]["run_id"] == "7f3k00aaaa"


@pytest.mark.parametrize("flag", ["--json", "--ndjson", "--format=json"])
def test_a_usage_error_stays_json_for_machines(flag: str) -> None:
    done = run_cli("trace", "lst", flag)
    assert (done.code, done.err) == (2, "")
    error = done.json()["error"]
    assert (error["code"], error["hint"]) == ("USAGE", "superbiz trace --help")


def test_the_topic_environment_names_a_variable_for_every_setting() -> None:
    from superbiz_cli.settings.keys import known_keys
    from superbiz_cli.settings.sources import variable_for

    text = run_cli("help", "environment").out
    assert all(variable_for(key) in text for key in known_keys())


def test_the_topic_environment_names_every_variable_that_the_source_reads() -> None:
    text = run_cli("help", "environment").out
    found = set()
    for path in (REPOSITORY / "superbiz_cli").rglob("*.py"):
        found |= set(re.findall(r'"(SUPERBIZ_[A-Z]+(?:_[A-Z]+)*)"', path.read_text(encoding="utf-8")))
    assert found
    assert all(name in text for name in found)
