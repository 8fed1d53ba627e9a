"""The process skin: version fast path, stream encoding, exit codes, closed pipes, --debug.

Nothing heavy is imported here, and nothing at all for `superbiz --version`.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NoReturn

from superbiz_cli import __version__


def main() -> NoReturn:
    """Run the program and end the process."""
    _open_what_is_closed()
    _leave(run_process(sys.argv[1:]))


def run_process(argv: list[str]) -> int:
    """Do what `argv` asks for and return the exit code; whatever goes wrong is reported on stderr."""
    _escape_what_cannot_be_encoded()
    if argv in (["-V"], ["--version"]):
        sys.stdout.write(f"superbiz {__version__}\n")
        return 0
    try:
        from superbiz_cli.cli.app import run

        return run(argv)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    except Exception as error:
        if _is_interrupt(error):
            with suppress(OSError, ValueError):
                sys.stderr.write("superbiz: cancelled\n")
            return 130
        _report_defect(error, with_traceback="--debug" in argv)
        return 1


def _open_what_is_closed() -> None:
    """Put something under a standard stream that was closed, or the next file opened would get its number.

    An output is opened for reading only: writing to it fails, and is reported, as on a closed one.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is not None:
            continue
        descriptor = os.open(os.devnull, os.O_RDONLY)
        if descriptor != number:  # pragma: no cover - the lowest free number is the one that was closed
            os.dup2(descriptor, number)
            os.close(descriptor)
        setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _escape_what_cannot_be_encoded() -> None:
    """Make a stream of any encoding take any text: what it cannot show is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):  # closed, or replaced by an embedding program
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether an error was made of a Ctrl-C: a class that is being built turns it into a RuntimeError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _report_defect(error: BaseException, *, with_traceback: bool) -> None:
    """Say that there is a defect. The exception's text is never shown: it can hold keys and data."""
    from superbiz_cli.cli.streams import terse_traceback

    with suppress(OSError, ValueError):
        sys.stdout.flush()
    with suppress(OSError, ValueError):
        if with_traceback:
            sys.stderr.write(terse_traceback(error))
        sys.stderr.write(f"superbiz: an internal error ended the command ({type(error).__name__})\n")
        if not with_traceback:
            sys.stderr.write("hint: run it again with --debug and report the traceback\n")


def _leave(code: int) -> NoReturn:
    """Flush and end. A pipe whose reader went away turns a successful end into 141.

    An interpreter that ends while another thread imports or waits can hang, and with litellm
    loaded it takes a second: in both cases the process ends at once.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            code = 141 if stream is sys.stdout else code
            _point_at_nothing(stream)
        except (OSError, ValueError, AttributeError):
            _point_at_nothing(stream)
    threading = sys.modules.get("threading")
    if "litellm" in sys.modules or (threading is not None and threading.active_count() > 1):
        os._exit(code)
    sys.exit(code)


def _point_at_nothing(stream: object) -> None:
    """Keep the interpreter's own last flush from complaining about the same stream."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
