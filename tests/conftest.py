"""How properties are tested: the same examples every time, so that a run says something about the change in hand.

LIMEN_EXPLORE=1 draws new ones, and more of them. The databases that several tests need are here too.
"""

import asyncio
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from commands import an_example_study
from postgres import a_database, a_server

settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("explore" if os.environ.get("LIMEN_EXPLORE") else "steady")


@pytest.fixture(scope="session", autouse=True)
def _a_cache_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep vectors away from the cache of whoever runs the tests, in commands that are started too."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def _no_loop_of_a_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hide the event loop that a browser of earlier tests keeps running: asyncio.run takes no second."""
    loop = None if "browser" in request.fixturenames else asyncio._get_running_loop()
    if loop is not None:
        asyncio._set_running_loop(None)
    yield
    if loop is not None:
        asyncio._set_running_loop(loop)


@pytest.fixture(scope="session")
def example_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a study that is ready, with the stand-in page beside it; to be copied before it is changed."""
    return an_example_study(tmp_path_factory.mktemp("example") / "study")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with a_server() as address:
        yield address


@pytest.fixture(scope="session")
def new_postgres_database(postgres_server: str) -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: a_database(postgres_server, f"test_{next(numbers)}")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the address of an empty database, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'answers.sqlite'}"
    address: str = request.getfixturevalue("new_postgres_database")()
    return address
