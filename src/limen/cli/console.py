"""What commands share when they speak to a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from os import environ
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from limen.core.log_problems import Problems


class SystemClock:
    """The machine's clock; SOURCE_DATE_EPOCH holds it still, so that a build can be repeated byte for byte."""

    def now(self) -> datetime:
        """Give the time in UTC."""
        fixed = environ.get("SOURCE_DATE_EPOCH", "")
        return datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)


class WallClock:
    """The machine's clock, never held still: for what happens while the study runs."""

    def now(self) -> datetime:
        """Give the time in UTC."""
        return datetime.now(UTC)


class SystemSecrets:
    """The operating system's randomness."""

    def token(self) -> str:
        """Give 128 bits as 22 characters that can stand in an address."""
        import secrets

        return secrets.token_urlsafe(16)

    def code(self, length: int) -> str:
        """Give a short code without characters that look alike."""
        import secrets

        return "".join(secrets.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(length))


def out() -> "Console":
    """Give the console for results; where nobody reads on, as behind `| head`, the command goes on in silence."""
    from contextlib import suppress

    from rich.console import Console

    class Patient(Console):
        def on_broken_pipe(self) -> None:
            with suppress(SystemExit):
                super().on_broken_pipe()

    return Patient(highlight=False, soft_wrap=True)


def aside() -> "Console":
    """Give the console for what is said beside results that go to standard output."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def progress(text: str, total: int, *, of_bytes: bool = True) -> Iterator["Progress"]:
    """Show a bar on standard error while work goes on; `advance(n)` on its only task moves it."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    done = DownloadColumn() if of_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        bar.add_task(text, total=total)
        yield bar


def show_problems(console: "Console", problems: "Problems") -> None:
    """Print what could not be read, a line a reason, with the first place."""
    for reason, count in problems.by_reason.items():
        first = next(p for p in problems.examples if p.reason == reason)
        console.print(f"{count} × {reason} (first: {first.file}, {first.record})", markup=False, style="yellow")


@contextmanager
def working(text: str) -> Iterator[Callable[[str], None]]:
    """Show on standard error what is being done; calling what is given says what comes next."""
    from rich.console import Console
    from rich.status import Status

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: None
        return
    with Status(text, console=console) as status:
        yield status.update
