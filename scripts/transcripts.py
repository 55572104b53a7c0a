"""Runs the console blocks of the documentation and writes what they really print into the pages.

With --check nothing is written: pages that say something else are named, and the exit code is 1 when there
are any. A block of kind `console` holds commands, each after `$ `, and below each what it prints, standard
error included. The blocks of a page run in order in one temporary folder, `limen` in this very process.
`$ echo $?` shows the exit code of the command before it. A comment right before a block of any kind makes it
part of the play: `<!-- file: NAME -->` writes it to the file NAME, `<!-- append: NAME -->` adds it to the end
of it, and `<!-- edit: NAME -->` makes the change that a block of kind diff shows. `<!-- embeddings: HOST:PORT -->` lets
commands find the embeddings server of the tests at that address from there on; it really listens at a free port.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from limen.cli.main import run

ROOT = Path(__file__).resolve().parent.parent
_BLOCK = re.compile(
    r"(?:<!-- (?P<how>file|append|edit|embeddings): (?P<name>\S+) -->\n)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def pages_with_transcripts() -> list[Path]:
    """Give the pages that hold console blocks."""
    return [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if _has_commands(page)]


def replayed(page: Path) -> str:
    """Give the page with the output that its commands print now."""
    text = page.read_text("utf-8")
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        _plain_terminal(),
        contextlib.ExitStack() as until_the_end,
    ):
        shell = _Shell(until_the_end)
        parts, end = [], 0
        for block in _BLOCK.finditer(text):
            parts.append(text[end : block.start("body")])
            parts.append(shell.play(block))
            end = block.end("body")
    return "".join(parts) + text[end:]


def main(arguments: list[str]) -> int:
    """Bring the pages up to date, or say which are not."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: transcripts.py [--check]\n")
        return 2
    stale = {page: new for page in pages_with_transcripts() if (new := replayed(page)) != page.read_text("utf-8")}
    for page, new in stale.items():
        if arguments:
            sys.stderr.write(f"stale: {page.relative_to(ROOT)}; run scripts/fix\n")
        else:
            page.write_text(new, "utf-8")
    return int(bool(arguments and stale))


@dataclass(slots=True)
class _Shell:
    """Runs commands one after the other and remembers the last exit code."""

    until_the_end: contextlib.ExitStack
    exit_code: int = 0
    address: tuple[str, str] = ("", "")  # as the page has it, and as it is

    def play(self, block: re.Match[str]) -> str:
        """Give the block's body as it is now."""
        body = block["body"]
        if block["how"] == "embeddings":
            self._serve_embeddings(block["name"])
        elif block["how"]:
            path = Path(block["name"])
            path.parent.mkdir(parents=True, exist_ok=True)
            before = "" if block["how"] == "file" else path.read_text("utf-8")
            path.write_text(_edited(before, body) if block["how"] == "edit" else before + body, "utf-8")
        return "".join(self._transcript(body)) if block["kind"] == "console" else body

    def _transcript(self, body: str) -> Iterator[str]:
        for line in body.splitlines():
            if line.startswith("$ "):
                yield f"{line}\n"
                said, real = self.address
                printed = self._run(line.removeprefix("$ ").replace(said, real) if said else line.removeprefix("$ "))
                printed = printed.replace(real, said) if said else printed
                yield "".join(f"{said.rstrip()}\n" for said in printed.splitlines())

    def _serve_embeddings(self, address: str) -> None:
        sys.path.insert(0, str(ROOT / "tests"))
        try:
            from embedding_server import an_embedding_server  # noqa: PLC0415 - the tests are not on the path
        finally:
            sys.path.pop(0)
        server = self.until_the_end.enter_context(an_embedding_server())
        self.address = (address, server.host)

    def _run(self, command: str) -> str:
        if command == "echo $?":
            return f"{self.exit_code}\n"
        if re.match(r"limen\b[^|<>]*$", command):
            return self._run_limen(shlex.split(command)[1:])
        done = subprocess.run(  # noqa: S602 - the commands are our own documentation
            command, shell=True, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.exit_code = done.returncode
        return done.stdout

    def _run_limen(self, arguments: list[str]) -> str:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                run(arguments)
            except SystemExit as left:
                self.exit_code = left.code if isinstance(left.code, int) else 0
        return said.getvalue()


def _edited(text: str, diff: str) -> str:
    """Make the changes of a diff; its parts are set apart by lines that begin with @@."""
    for part in re.split(r"^@@.*\n", diff, flags=re.MULTILINE):
        lines = part.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        if text.count(old) != 1:
            raise ValueError(f"what the diff takes away stands {text.count(old)} times in the file:\n{old}")
        text = text.replace(old, new)
    return text


@contextlib.contextmanager
def _plain_terminal() -> Iterator[None]:
    """Hold still what the look of the output depends on, and put `limen` and its Python on the path."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        python = shlex.quote(sys.executable)
        for name, start in (("python", python), ("limen", f"{python} -c 'from limen.cli.main import run; run()'")):
            shim = Path(folder) / name
            shim.write_text(f'#!/bin/sh\nexec {start} "$@"\n', "utf-8")
            shim.chmod(0o755)
        os.environ.update(COLUMNS="80", NO_COLOR="1", LC_ALL="C.UTF-8", PYTHONPATH=str(ROOT / "src"))
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        os.environ["PATH"] = f"{folder}{os.pathsep}{before['PATH']}"
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def _has_commands(page: Path) -> bool:
    return any(block["kind"] == "console" for block in _BLOCK.finditer(page.read_text("utf-8")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
