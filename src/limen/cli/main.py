"""`limen`: commands, and how errors are said."""

import re
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated

import typer
from typer.core import TyperGroup

from limen import __version__
from limen.errors import LimenError

_COMMANDS = {
    "init": "limen.cli.init",
    "logs": "limen.cli.conversation_logs",
    "drift": "limen.cli.drift",
    "pairs": "limen.cli.pairs",
    "review": "limen.cli.review",
    "check": "limen.cli.check",
    "serve": "limen.cli.serve",
    "page": "limen.cli.page",
    "collect": "limen.cli.collect",
    "status": "limen.cli.status",
    "simulate": "limen.cli.simulate",
    "analyze": "limen.cli.analyze",
    "export": "limen.cli.export",
    "withdraw": "limen.cli.withdraw",
    "backup": "limen.cli.backup",
    "demo": "limen.cli.demo",
}
"""Where each command is, in the order in which a study needs them; imported when it is asked for."""


class _ByWorkflow(TyperGroup):
    """Lists the commands in the order in which a study needs them."""

    def list_commands(self, ctx: object) -> list[str]:
        """Give the names."""
        return sorted(self.commands, key=list(_COMMANDS).index)


_ClickException = typer.BadParameter.__mro__[2]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"limen {__version__}")
        raise typer.Exit


def _common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find where people notice that an AI is no longer itself."""


def command_line(names: Iterable[str] = _COMMANDS) -> typer.Typer:
    """Give the command line with these commands, all of them unless told."""
    app = typer.Typer(
        name="limen",
        cls=_ByWorkflow,
        help="Find where people notice that an AI is no longer itself.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_common)
    for name in names:
        command = getattr(import_module(_COMMANDS[name]), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command)
        else:
            app.command()(command)
    return app


def run(arguments: list[str] | None = None) -> None:
    """Run a command and leave with its exit code: 2 for bad input, 3 for a study that is not ready."""
    sys.exit(_exit_code(sys.argv[1:] if arguments is None else arguments))


def _exit_code(arguments: list[str]) -> int:
    try:
        return command_line(_asked_for(arguments))(arguments, standalone_mode=False, prog_name="limen") or 0
    except LimenError as error:
        return _say(error, str(error), error.exit_code, arguments)
    except (KeyboardInterrupt, typer.Abort):
        return _say(None, "interrupted; run the command again to start over", 130, arguments)
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # nobody reads on: Typer leaves with 1 then
            return 0
        raise
    except Exception as error:
        if isinstance(error, _ClickException):
            return _say_usage(error, arguments)
        text = f"{type(error).__name__}: {error}; this should not happen: `limen --debug …` shows where"
        return _say(error, " ".join(text.split()), 1, arguments)


def _asked_for(arguments: list[str]) -> Iterable[str]:
    """Give the command that is meant; all of them for help, completion and what is mistyped."""
    first = next((argument for argument in arguments if not argument.startswith("-")), "")
    return [first] if first in _COMMANDS else _COMMANDS


_IN_WORDS = (
    (re.compile(r"'[^']*' is not a valid int(eger)?( range)?"), "expected a whole number"),
    (re.compile(r"'[^']*' is not a valid float( range)?"), "expected a number"),
    (re.compile(r"\. Did you mean"), "; did you mean"),
)
"""What the parser of the command line says, and what is said in its place."""


def _say_usage(error: Exception, arguments: list[str]) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(str(error))
        return 0
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "limen"
    message = " ".join(error.format_message().split()).rstrip(".?")  # type: ignore[attr-defined]
    for said, meant in _IN_WORDS:
        message = said.sub(meant, message)
    return _say(error, f"{message}; see `{command} --help`", 2, arguments)


def _say(error: BaseException | None, text: str, code: int, arguments: list[str]) -> int:
    if error is not None and "--debug" in arguments[:1]:
        raise error
    typer.echo(f"limen: {text}", err=True)
    return code
