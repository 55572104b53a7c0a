"""`limen review`: the pairs in the browser, before anyone else sees them."""

from typing import Annotated

import typer

from limen.cli.database import Database, Folder


def review(
    folder: Folder,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Where to listen; 0 takes a free port.")] = 0,
    database: Database = None,
) -> None:
    """Go through the pairs in the browser, as raters will see them. Approve, replace or reject each; Ctrl-C ends it."""
    import logging

    from limen.cli.console import SystemSecrets, WallClock, out
    from limen.cli.database import address_of
    from limen.core.sessions import Mode
    from limen.storage.store import read_store
    from limen.study.folder import StudyFolder
    from limen.study.review_shelf import FolderShelf
    from limen.web.review import create_review_app
    from limen.web.server import listen, run_alone
    from limen.workflow.review import ReviewDesk

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    study = StudyFolder(folder)
    shelf = FolderShelf(study)
    shelf.read()
    address = address_of(study, database)

    def answered() -> bool:
        return bool(read_store(address, lambda reading: reading.stimulus_digests(Mode.LIVE)))

    secret = SystemSecrets().token()
    desk = ReviewDesk(shelf=shelf, clock=WallClock(), answered=answered)
    with listen("127.0.0.1", port) as sock:
        host = f"127.0.0.1:{sock.getsockname()[1]}"
        app = create_review_app(desk, secret=secret, host=host)
        console = out()
        console.print(f"review   http://{host}/{secret}/  (it names conditions: keep it from raters)", markup=False)
        console.print(f"stored   {study.decisions_file}", markup=False)
        console.print("stop with Ctrl-C", style="dim")
        run_alone(app, sock)
    console.print("stopped; every decision is stored")
