"""A study to harm and a nursery of servers, for each test its own."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.nursery import Nursery, a_nursery


@pytest.fixture
def study(example_study: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(example_study, tmp_path / "study"))


@pytest.fixture
def nursery(tmp_path: Path) -> Iterator[Nursery]:
    with a_nursery(tmp_path) as opened:
        yield opened
