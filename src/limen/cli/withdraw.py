"""`limen withdraw`: a participant's answers deleted by code."""

from typing import Annotated

import typer

from limen.cli.database import Database, Folder


def withdraw(
    folder: Folder,
    code: Annotated[str, typer.Argument(metavar="CODE", help="The participant's withdrawal code.")],
    database: Database = None,
) -> None:
    """Delete the answers of a withdrawal code. Only a count remains; works while the server runs."""
    from limen.cli.console import WallClock, out
    from limen.cli.database import address_of
    from limen.errors import InputError
    from limen.storage.store import open_store, read_store
    from limen.study.folder import StudyFolder
    from limen.workflow.withdraw import Withdrawal
    from limen.workflow.withdraw import withdraw as take_back

    study = StudyFolder(folder)
    study.read_protocol()
    now = WallClock().now()
    last_part = code.strip().rpartition("/")[2]  # the whole link will do
    address = address_of(study, database)
    found = Withdrawal.UNKNOWN
    if read_store(address, lambda _reading: True):  # where there is no database yet, none is made
        with open_store(address) as store:
            found = store.submit(lambda desk: take_back(desk, last_part, now)).result()
    if found is Withdrawal.UNKNOWN:
        raise InputError(f"{code}: there are no answers under this code; check that all of it was copied")
    before = " before" if found is Withdrawal.DONE_BEFORE else ""
    out().print(f"deleted{before}; copies made by `limen backup` until now still hold them")
