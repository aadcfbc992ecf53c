"""The command `aj`: the one place that reads this process (folder, environment, clock, chance) and ends it decently."""

from __future__ import annotations

import errno
import gc
import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

from ajkit.streams import keep_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from ajkit.cli.invocation import Invocation

OK, PROBLEMS, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `aj` with these arguments (those of the process by default) and exit with its code."""
    # What gets imported stays: looking for garbage among it takes a tenth of a quick command's time.
    gc.set_threshold(100_000, 50, 100)
    _NoPlugins.install()
    _prepare_streams()
    try:
        code = run(sys.argv[1:] if arguments is None else list(arguments), this_process())
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(_flushed(code))


def run(arguments: list[str], invocation: Invocation) -> int:
    """Run one command line and answer its exit code; every exception has become words on standard error."""
    from click.exceptions import ClickException, Exit

    from ajkit.cli.verbs import aj
    from ajkit.shared.problem import AjError, Refused, UsageError

    try:
        answer = aj.main(arguments, prog_name="aj", standalone_mode=False, obj=invocation)
        return answer if isinstance(answer, int) else OK
    except Exit as end:
        return end.exit_code
    except ClickException as error:
        error.show()
        return error.exit_code
    except Refused as refused:
        from ajkit.cli.reports.text import report
        from ajkit.cli.terminal import wants_colour

        report(refused.problems, invocation.folder, colour=wants_colour(invocation.environ))
        return PROBLEMS
    except AjError as error:
        _say(str(error))
        return USAGE if isinstance(error, UsageError) else PROBLEMS
    except BaseException as error:  # noqa: BLE001
        return _cut_short(error)


def _cut_short(error: BaseException) -> int:
    """The code of an end that no verb has foreseen: an interrupt, a reader that went away, a mistake of ours."""
    from click.exceptions import Abort

    from ajkit.cli.terminal import ReaderGone

    if isinstance(error, Abort | KeyboardInterrupt):
        _say("interrupted")
        return INTERRUPTED
    # click ends by itself after completion, and with 1 when the reader of a help went away.
    if isinstance(error, ReaderGone) or (isinstance(error, SystemExit) and error.code == PROBLEMS):
        return BROKEN_PIPE
    if isinstance(error, SystemExit):
        return OK
    if isinstance(error, OSError) and error.errno in UNWRITABLE and error.filename is None:
        _say(f"cannot write the answer: {error.strerror}")
        return PROBLEMS
    if os.environ.get("AJ_DEBUG"):
        import traceback

        traceback.print_exc()
    first = (str(error) or "no more is known").split("\n", 1)[0]
    _say(
        f"this is a mistake in aj: {type(error).__name__}: {first} "
        "(please report it where you got aj from, with what AJ_DEBUG=1 prints)"
    )
    return PROBLEMS


class _NoPlugins:
    """Keeps pydantic from looking for plug-ins of its own, which takes a fourteenth of the time of an `aj check`.

    Its loader imports `importlib.metadata` (and with it `email`) even where the documented variable forbids plug-ins,
    so another module is found in its place. Whatever else pydantic may want of it comes from the real one.
    """

    name = "pydantic.plugin._loader"

    @classmethod
    def install(cls) -> None:
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
        sys.meta_path.insert(0, cls())

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        return ModuleSpec(name, self)  # type: ignore[arg-type]  # the protocol of loaders lives in an abstract class

    def create_module(self, _spec: ModuleSpec) -> None:
        """An ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(get_plugins=tuple, __getattr__=self._real)

    def _real(self, attribute: str) -> object:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        del sys.modules[self.name]
        return getattr(import_module(self.name), attribute)


def this_process() -> Invocation:
    """What the command line stands on: this process's folder, environment, clock and chance."""
    from ajkit.cli.invocation import Invocation

    try:
        folder = os.getcwd()
    except FileNotFoundError:
        _say("the working directory does not exist any more: go to one that does")
        sys.exit(USAGE)
    return Invocation(folder, os.environ, os.path.expanduser, _now, _new_sid)


def _now() -> str:
    from ajkit.client.facts import now

    return now()


def _new_sid() -> str:
    from ajkit.client.facts import new_sid

    return new_sid()


def _prepare_streams() -> None:
    """No text may fail to be written: data is UTF-8 wherever it goes, a terminal shows escapes for what it lacks."""
    keep_whole()
    for stream in (sys.stdout, sys.stderr):
        if stream is None or not hasattr(stream, "reconfigure"):
            continue
        if stream.isatty():
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _flushed(code: int) -> int:
    """The code, once everything is written; a reader that went away is no fault, a full disk is."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except BrokenPipeError:
            code = code or BROKEN_PIPE
            _silence(stream)
        except (OSError, ValueError) as error:
            if code == OK:
                _say(f"cannot write the answer: {getattr(error, 'strerror', None) or error}")
                code = PROBLEMS
            _silence(stream)
    return code


def _silence(stream: object) -> None:
    """Let what is left in a stream go nowhere: the interpreter flushes once more, and would print a traceback."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]
    except (OSError, ValueError):
        return


def _say(message: str) -> None:
    """A line for the person; when even that cannot be written, silence."""
    if sys.stderr is not None:
        try:
            sys.stderr.write(f"aj: {message}\n")
        except (OSError, ValueError):
            return
