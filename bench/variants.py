"""Servers that exist only to be measured against: the same application with a commit for each request, and an echo.

Run as a script: variants.py one-commit STUDY | variants.py echo. It prints its port.
"""

import logging
import sys
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from limen.cli.console import SystemSecrets
from limen.cli.serving import Serving
from limen.storage.writer import Writer
from limen.study.folder import StudyFolder
from limen.survey.page import read_built_page
from limen.web.server import listen, run
from limen.workflow.ports import Store, WriterLoad
from limen.workflow.served import serve_study


class NoStore(Store):
    """What an echo stores."""

    def ended(self) -> str | None:
        """Go on."""
        return None

    def load(self) -> WriterLoad:
        """Do nothing."""
        return WriterLoad()


def one_commit(folder: Path) -> None:
    """Serve a study as `limen serve` does, but let the writer take one piece of work at a time."""
    take = Writer._take

    def take_one(self: Writer) -> list[object]:
        batch = take(self)
        with self._wakeup:
            self._waiting[:0] = batch[1:]
        return batch[:1]

    Writer._take = take_one
    study = StudyFolder(folder)
    Serving(
        study=serve_study(study.read_protocol(), study.read_stimuli(), live=True),
        built_page=read_built_page(None),
        researcher_secret="x" * 22,
        secrets=SystemSecrets(),
        database=f"sqlite:///{study.answers_file}",
        answers=str(study.answers_file),
        address_file=study.address_file,
        sessions_per_minute=0,
    ).run("127.0.0.1", 0, 1)


def echo() -> None:
    """Answer with what was sent, from the same server and framework, with nothing behind it."""

    async def answer(request: Request) -> Response:
        return Response(await request.body(), 200, media_type="application/json")

    app = Starlette(routes=[Route("/api/sessions/{token}/trials/{number}", answer, methods=["PUT"])])
    with listen("127.0.0.1", 0) as sock:
        print(f"participants  http://127.0.0.1:{sock.getsockname()[1]}/", flush=True)  # noqa: T201 - for who started it
        run(app, sock, NoStore())


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    one_commit(Path(sys.argv[2])) if sys.argv[1] == "one-commit" else echo()
