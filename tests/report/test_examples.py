"""The examples in the docstrings run."""

import doctest
from types import ModuleType

import pytest

from limen.report import markdown, phrasing


@pytest.mark.parametrize("module", [markdown, phrasing], ids=lambda module: str(module.__name__))
def test_examples_in_docstrings_run(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
