"""The tables brought up to date, forward only. Alembic is loaded only when there is something to do."""

import sqlalchemy as sa

from limen.errors import StoreError
from limen.storage.version import HEAD

_ADVISORY_LOCK = 0x11AE4


def bring_up_to_date(connection: sa.Connection) -> None:
    """Make or change the tables within the open transaction; raise StoreError for a database of another kind."""
    if schema_version(connection) == HEAD:
        return
    if connection.dialect.name == "postgresql":  # two servers may start at once
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    found = schema_version(connection)
    if found == HEAD:
        return
    _refuse_strangers(connection, found)
    migrate(connection)


def schema_version(connection: sa.Connection) -> str | None:
    """Give the migration that the database is at; None when it has no tables of ours."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return version


def _refuse_strangers(connection: sa.Connection, found: str | None) -> None:
    if found is None and sa.inspect(connection).has_table("sessions"):
        raise StoreError("this database has tables that are not Limen's; choose another one")
    if found is not None and found > HEAD:
        raise StoreError(
            f"this database was made by a newer Limen (schema {found}, this one knows {HEAD}); update Limen"
        )


def migrate(connection: sa.Connection, to: str = "head") -> None:
    """Take the steps that are due, up to a version."""
    from alembic import command  # noqa: PLC0415 - takes long to load, and is needed only here
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", "limen.storage:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, to)
