"""The tables change forward only, by migrations, and data is kept."""

import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from limen.core.sessions import DailyCount, Mode
from limen.errors import StoreError
from limen.storage.engines import make_engines
from limen.storage.schema import metadata
from limen.storage.store import open_store, read_store
from limen.storage.upgrade import bring_up_to_date, migrate, schema_version
from limen.storage.version import HEAD
from studies import START


def test_the_migrations_make_the_tables_that_the_code_works_on(database: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    engines = make_engines(database)
    engines.make_file()
    with engines.write.begin() as connection:
        assert schema_version(connection) is None
        bring_up_to_date(connection)
        assert schema_version(connection) == HEAD
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engines.dispose()


def test_the_newest_migration_is_the_one_the_code_names() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", "limen.storage:migrations")
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [HEAD]
    assert all(not hasattr(script.module, "downgrade") for script in scripts.walk_revisions())


def versions() -> list[str]:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", "limen.storage:migrations")
    return sorted(script.revision for script in ScriptDirectory.from_config(config).walk_revisions())


def a_value(column: sa.Column[Any], n: int) -> object:
    """Make up a value that a column takes."""
    if column.name == "session_id":
        return n
    if isinstance(column.type, sa.Boolean):
        return bool(n % 2)
    if isinstance(column.type, sa.Integer):
        return n
    if isinstance(column.type, sa.Float):
        return n / 10
    if column.name == "mode":
        return "live" if column.table.name == "sessions" else ("live", "pilot", "preview")[n - 1]
    return {"source": "server", "plan": '["CAT_01"]', "response": "NORMAL"}.get(
        column.name, f"{column.table.name} {column.name} {n}"
    )


def contents(connection: sa.Connection, columns: Mapping[str, Sequence[str]]) -> dict[str, list[tuple[Any, ...]]]:
    return {
        table: sorted(
            tuple(row)
            for row in connection.execute(sa.text(f"SELECT {', '.join(names)} FROM {table}"))  # noqa: S608
        )
        for table, names in columns.items()
    }


@pytest.mark.parametrize("version", versions()[:-1])
def test_every_earlier_version_is_brought_up_to_date_with_its_data(database: str, version: str) -> None:
    engines = make_engines(database)
    engines.make_file()
    with engines.write.begin() as connection:
        migrate(connection, version)
        made = sa.MetaData()
        made.reflect(connection)
        tables = [table for table in made.sorted_tables if table.name != "alembic_version"]
        for table in tables:
            for n in (1, 2, 3):
                connection.execute(sa.insert(table), {column.name: a_value(column, n) for column in table.columns})
        columns = {table.name: [column.name for column in table.columns] for table in tables}
        before = contents(connection, columns)
    engines.dispose()
    with open_store(database, serving=True) as store:
        assert [session.number for session in store.read(lambda reading: reading.sessions(Mode.LIVE))] == [1, 2, 3]
    engines = make_engines(database)
    engines.make_file()
    with engines.write.begin() as connection:
        assert schema_version(connection) == HEAD
        assert contents(connection, columns) == before
    engines.dispose()
    assert len(before) >= 9


def test_opening_again_keeps_what_is_there(database: str) -> None:
    with open_store(database) as store:
        store.submit(lambda desk: desk.count(Mode.LIVE, START.date(), DailyCount.LANDED)).result(10)
    with open_store(database) as store:
        assert store.read(lambda reading: reading.counts(Mode.LIVE)) == {DailyCount.LANDED: 1}


def test_alembic_is_not_loaded_when_nothing_is_due(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'answers.sqlite'}"
    with open_store(address):
        pass
    script = (
        "import sys; from limen.storage.store import open_store\n"
        f"with open_store({address!r}): pass\n"
        "print('alembic' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "False False"


def test_two_servers_that_start_at_once_migrate_once(new_postgres_database: Callable[[], str]) -> None:
    address = new_postgres_database()
    problems: list[Exception] = []

    def start() -> None:
        try:
            with open_store(address):
                pass
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=start) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_a_database_of_a_newer_limen_is_refused(database: str) -> None:
    with open_store(database):
        pass
    engines = make_engines(database)
    engines.make_file()
    with engines.write.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    engines.dispose()
    with pytest.raises(StoreError, match="newer Limen"), open_store(database):
        pass


def test_a_database_with_other_tables_is_refused(database: str) -> None:
    engines = make_engines(database)
    engines.make_file()
    with engines.write.begin() as connection:
        connection.execute(sa.text("CREATE TABLE sessions (id integer)"))
    engines.dispose()
    with pytest.raises(StoreError, match="not Limen's"), open_store(database):
        pass


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("nonsense", "no database address"),
        ("mysql://host/db", "only SQLite and PostgreSQL"),
        ("sqlite://", "a file is needed"),
        ("sqlite:////no/such/folder/answers.sqlite", "no such folder"),
        ("postgresql://nobody:secret@127.0.0.1:1/none", "cannot be opened"),
    ],
)
def test_an_address_that_does_not_work_says_why(address: str, says: str) -> None:
    with pytest.raises(StoreError, match=says) as found, open_store(address):
        pass
    assert "secret" not in str(found.value)
    assert "\n" not in str(found.value)


def test_a_damaged_file_is_found_at_the_start_and_the_way_back_is_told(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    file.write_bytes(b"This is no database, however long it goes on. " * 200)
    with pytest.raises(StoreError, match="limen backup"), open_store(f"sqlite:///{file}", serving=True):
        pass
    file.unlink()
    address = f"sqlite:///{file}"
    with open_store(address) as store:
        for _ in range(50):
            store.submit(lambda desk: desk.count(Mode.LIVE, START.date(), DailyCount.LANDED)).result(10)
    data = bytearray(file.read_bytes())
    data[4096 : 4096 * 6] = b"\xff" * (4096 * 5)
    file.write_bytes(data)
    with pytest.raises(StoreError, match="limen backup"), open_store(address, serving=True):
        pass


def test_one_server_a_file_while_commands_may_write_beside_it(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'answers.sqlite'}"
    with open_store(address, serving=True) as server:
        with pytest.raises(StoreError, match="another server"), open_store(address, serving=True):
            pass
        with open_store(address) as command:
            command.submit(lambda desk: desk.next_number(Mode.LIVE)).result(10)
        assert server.submit(lambda desk: desk.next_number(Mode.LIVE)).result(10) == 2
    with open_store(address, serving=True):
        pass


def test_looking_makes_no_database(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    assert read_store(f"sqlite:///{file}", lambda reading: reading.counts(Mode.LIVE)) is None
    assert not file.exists()
