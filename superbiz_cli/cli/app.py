"""The command line as a whole: which commands there are, and how a failed one ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
import typer.main
from typer.exceptions import Abort, Exit, TyperException

from superbiz_cli import __version__
from superbiz_cli.cli.lazy import LazyGroup, Stub
from superbiz_cli.cli.options import Typed, read_when_given
from superbiz_cli.cli.streams import ClosedPipe, Streams, json_text, stdout_failed
from superbiz_cli.errors import EXIT_MEANING, ErrorCode, ExitCode, SuperbizError

_PACKAGE = "superbiz_cli.cli"
_CANCELLED = "superbiz: cancelled"
_ALSO_CALLED = {"--deadline": "--timeout", "--from": "--since", "--to": "--until", "--out": "--output"}

COMMANDS: tuple[Stub, ...] = (
    Stub(
        "diagnose",
        "Find out what went wrong, with the evidence for every claim.",
        f"{_PACKAGE}.diagnose:diagnose",
        panel="Diagnosis",
    ),
    Stub(
        "demo",
        "Diagnose the bundled incident; needs no set-up, key or network.",
        f"{_PACKAGE}.demo:demo",
        panel="Diagnosis",
    ),
    Stub(
        "logs",
        "Look into logs as a diagnosis does, without a model.",
        children=(
            Stub(
                "search",
                "Search the configured logs as a model's call does: counted, grouped and redacted.",
                f"{_PACKAGE}.logs:search",
            ),
            Stub(
                "inspect",
                "Tell how log files are understood: events, times, levels, shapes and what was skipped.",
                f"{_PACKAGE}.logs:inspect",
            ),
            Stub(
                "sources",
                "List the configured log sources, with their newest event and how it was understood.",
                f"{_PACKAGE}.logs:sources",
            ),
        ),
        panel="Evidence",
    ),
    Stub(
        "mysql",
        "Ask a database as a diagnosis does, and set up its access.",
        children=(
            Stub(
                "check",
                "Tell whether a query would be accepted, and as what; nothing is connected.",
                f"{_PACKAGE}.mysql:check",
            ),
            Stub(
                "query",
                "Run one query as a model's call is run: checked, bounded and redacted.",
                f"{_PACKAGE}.mysql:query",
            ),
            Stub(
                "grants",
                "Print the grants of an account that can read the allowed columns and nothing else.",
                f"{_PACKAGE}.mysql:grants",
            ),
            Stub(
                "schema",
                "Print an allow-list for the configuration, from what the account can see, to be pruned.",
                f"{_PACKAGE}.mysql:schema",
            ),
        ),
        panel="Evidence",
    ),
    Stub(
        "redact",
        "Replace secrets, addresses and personal numbers in stdin; write the rest to stdout as it is.",
        f"{_PACKAGE}.redact:redact",
        panel="Evidence",
    ),
    Stub(
        "trace",
        "Look at earlier runs: what was asked, done and decided.",
        children=(
            Stub("list", "List earlier runs, the newest first.", f"{_PACKAGE}.trace:list_runs"),
            Stub("show", "Show one run step by step.", f"{_PACKAGE}.trace:show_run"),
            Stub(
                "verify",
                "Check that the records are the ones that were written.",
                f"{_PACKAGE}.trace_upkeep:verify",
            ),
            Stub(
                "export",
                "Write everything that is recorded of one run as one JSON document.",
                f"{_PACKAGE}.trace_upkeep:export",
            ),
            Stub(
                "prune",
                "Remove old runs with everything that is recorded of them.",
                f"{_PACKAGE}.trace_upkeep:prune",
            ),
        ),
        panel="Records",
    ),
    Stub(
        "session",
        "Look at sessions: chains of runs that share a memory.",
        children=(
            Stub("list", "List sessions, the most recently used first.", f"{_PACKAGE}.session:list_sessions"),
            Stub(
                "show",
                "Show the runs of one session, and what its next question will know of them.",
                f"{_PACKAGE}.session:show_session",
            ),
        ),
        panel="Records",
    ),
    Stub(
        "kb",
        "Look after the knowledge base: runbooks and documents that answers are drawn from.",
        children=(
            Stub("ingest", "Bring the knowledge base up to date with files.", f"{_PACKAGE}.kb_ingest:ingest"),
            Stub("search", "Find passages in the knowledge base.", f"{_PACKAGE}.kb_search:search"),
            Stub("list", "List the documents of the knowledge base.", f"{_PACKAGE}.kb:list_documents"),
            Stub(
                "show",
                "Show one document as it is stored: its passages in order.",
                f"{_PACKAGE}.kb:show_document",
            ),
            Stub(
                "remove",
                "Remove documents from the knowledge base; their files stay.",
                f"{_PACKAGE}.kb:remove_documents",
            ),
            Stub(
                "rebuild",
                "Make the collection anew from what is stored: for another embedding model, or new indexes.",
                f"{_PACKAGE}.kb_rebuild:rebuild",
            ),
            Stub(
                "eval",
                "Measure the retrieval on judged queries: order by kind, gate, rating, retry, time.",
                f"{_PACKAGE}.kb_eval:evaluate",
            ),
        ),
        panel="Memory",
    ),
    Stub(
        "skills",
        "Look at skills: the procedures that guide a diagnosis.",
        children=(
            Stub(
                "list",
                "List the skills, or the ones that a question activates.",
                f"{_PACKAGE}.skills:list_skills",
            ),
            Stub(
                "show",
                "Show one skill: what activates it, its plan and its text.",
                f"{_PACKAGE}.skills:show_skill",
            ),
            Stub(
                "lint",
                "Say what is wrong with skills, and where.",
                f"{_PACKAGE}.skills:lint",
            ),
            Stub(
                "draft",
                "Write a proposal for a skill from similar cases, for a person to complete.",
                f"{_PACKAGE}.skills:draft",
            ),
        ),
        panel="Memory",
    ),
    Stub(
        "feedback",
        "Say whether a run was right; a helpful diagnosis becomes a case.",
        f"{_PACKAGE}.feedback:feedback",
        panel="Memory",
    ),
    Stub(
        "case",
        "Look after cases: earlier incidents whose causes were confirmed.",
        children=(
            Stub(
                "list",
                "List cases, the newest first, or the ones that are similar to a question.",
                f"{_PACKAGE}.case:list_cases",
            ),
            Stub("show", "Show one case.", f"{_PACKAGE}.case:show_case"),
            Stub("add", "Keep an incident that you know the cause of.", f"{_PACKAGE}.case:add_case"),
            Stub("remove", "Remove one case; it is never recalled again.", f"{_PACKAGE}.case:remove_case"),
            Stub(
                "export",
                "Write all cases as one YAML document, to be reviewed and versioned like code.",
                f"{_PACKAGE}.case:export_cases",
            ),
            Stub(
                "import",
                "Keep the cases of a YAML file; one with a known id takes that one's place.",
                f"{_PACKAGE}.case:import_cases",
            ),
        ),
        panel="Memory",
    ),
    Stub(
        "doctor",
        "Check the set-up: model, stores, sources.",
        f"{_PACKAGE}.doctor:doctor",
        panel="Set-up",
    ),
    Stub(
        "config",
        "Look at the configuration and begin one.",
        children=(
            Stub("init", "Write a configuration file to begin with.", f"{_PACKAGE}.config:init"),
            Stub("show", "Show every setting, its value and where it comes from.", f"{_PACKAGE}.config:show"),
            Stub("path", "Show which files and folders are used.", f"{_PACKAGE}.config:path"),
        ),
        panel="Set-up",
    ),
    Stub(
        "help",
        "Explain exit codes, environment variables or how times are written.",
        f"{_PACKAGE}.topics:explain",
        panel="Set-up",
    ),
)

_DESCRIPTION = """\
Diagnose incidents from logs, runbooks and MySQL. Every claim of a report is backed by a tool result
that really exists; what cannot be proven is said to be unproven.

Examples:
  superbiz demo
  superbiz diagnose "payment service times out since 10:00"
  superbiz trace show 7f3k
"""


# What typer itself writes to stdout: an error of writing it does not come from our streams.
_TYPER_WRITES = frozenset({"-h", "--help", "--show-completion"})


def run(argv: list[str]) -> int:
    """Execute one command line and return the exit code."""
    streams = Streams.of_process()
    if not argv and "_SUPERBIZ_COMPLETE" not in streams.environ:
        streams.raw_note(_short_help())
        return ExitCode.USAGE
    try:
        outcome = root().main(
            args=list(argv), prog_name="superbiz", standalone_mode=False, obj=Typed(streams)
        )
        return int(outcome or 0)
    except SuperbizError as error:
        return _fail(error, argv, streams)
    except TyperException as error:
        return _fail(_usage_error(error, argv), argv, streams)
    except (Abort, KeyboardInterrupt):
        streams.note(_CANCELLED)
        return ExitCode.INTERRUPTED
    except Exit as error:
        return error.exit_code
    except (ClosedPipe, BrokenPipeError):
        return ExitCode.CLOSED_PIPE
    except OSError as error:
        if error.filename is not None or _TYPER_WRITES.isdisjoint(argv):
            raise
        return _fail(stdout_failed(), argv, streams)
    finally:
        streams.close()


def root() -> LazyGroup:
    """Return the program's command group."""
    return _Root(
        name="superbiz",
        stubs=COMMANDS,
        help=_DESCRIPTION,
        epilog=exit_codes(),
        params=[_version_parameter(), *read_when_given(typer.main.get_install_completion_arguments())],
    )


def exit_codes() -> str:
    """Return the list of exit codes."""
    rows = "\n".join(f"  {code.value:<3}  {meaning}" for code, meaning in EXIT_MEANING.items())
    return f"Exit codes:\n{rows}"


class _Root(LazyGroup):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        if ctx.params.pop("version", False):
            Streams.of_process().result(f"superbiz {__version__}\n")
            raise Exit(0)
        return rest

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.obj.streams.note(_CANCELLED)  # typer makes a bare exit code of it
            raise


def _version_parameter() -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(_version)
    return typer.main.get_command(app).params[0]


def _version(
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version.")] = False,
) -> None: ...


def _short_help() -> str:
    widest = max(len(stub.name) for stub in COMMANDS)
    rows = "\n".join(f"  {stub.name:<{widest}}  {stub.help}" for stub in COMMANDS)
    return f"{_DESCRIPTION}\nCommands:\n{rows}\n\nsuperbiz --help tells more.\n"


def _usage_error(error: TyperException, argv: Sequence[str]) -> SuperbizError:
    ctx = getattr(error, "ctx", None)
    command = ctx.command_path if ctx is not None else _command_path(argv)
    message = error.format_message().rstrip(".").replace("Value error, ", "")  # pydantic's prefix
    written = getattr(error, "option_name", None)  # typer exports no class for this error
    if ctx is not None and type(error).__name__ == "NoSuchOption" and written:
        meant = _meant_option(written, ctx.command)
        message = f"no such option: {written}" + (f". Did you mean '{meant}'?" if meant else "")
    code = ExitCode.USAGE if error.exit_code == ExitCode.USAGE else ExitCode.FAILED
    return SuperbizError(ErrorCode.USAGE, _lower_first(message), hint=f"{command} --help", exit_code=code)


def _command_path(argv: Sequence[str]) -> str:
    path, stubs = ["superbiz"], COMMANDS
    for word in argv:
        stub = next((stub for stub in stubs if stub.name == word), None)
        if stub is not None:
            path.append(word)
            stubs = stub.children
    return " ".join(path)


def _meant_option(written: str, command: Any) -> str | None:
    from difflib import get_close_matches

    known = {name for parameter in command.params for name in parameter.opts if name.startswith("--")}
    meant = {name: name for name in sorted(known)}
    meant |= {name: ours for name, ours in _ALSO_CALLED.items() if ours in known}
    closest = get_close_matches(written, meant, n=1)
    return meant[closest[0]] if closest else None


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _fail(error: SuperbizError, argv: list[str], streams: Streams) -> int:
    from superbiz_cli.harness.tool.sanitize import sanitize

    streams.no_color = "--no-color" in argv
    if error.code is ErrorCode.OUTPUT_FAILED:
        streams.output = None
    message, hint = sanitize(error.message), sanitize(error.hint) if error.hint else None
    if "--debug" in argv:
        streams.traceback(error)
    if _wants_json(argv):
        failure = {"code": error.code.value, "message": message, "hint": hint}
        indent = None if "--ndjson" in argv or "ndjson" in argv else 2
        try:
            streams.result(json_text({"error": failure}, indent=indent))
        except ClosedPipe:
            return ExitCode.CLOSED_PIPE
        except SuperbizError:  # stdout takes nothing, not even the failure
            streams.error(message, hint)
    else:
        streams.error(message, hint)
    return error.exit_code


def _wants_json(argv: list[str]) -> bool:
    """Whether a machine reads the output. The line may be one that could not be parsed."""
    pairs = zip(argv, [*argv[1:], ""], strict=True)
    return any(
        word in ("--json", "--ndjson", "--format=json", "--format=ndjson")
        or (word == "--format" and following in ("json", "ndjson"))
        for word, following in pairs
    )
