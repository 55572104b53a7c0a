from pathlib import Path

import pytest

from limen.errors import LogError
from limen.logs.providers import read_providers


def test_a_table_names_providers_by_id(tmp_path: Path) -> None:
    path = tmp_path / "providers.csv"
    path.write_text("﻿id,provider,note\nt1,OpenAI,x\nt2, other ,y\n", encoding="utf-8")
    assert read_providers(path) == {"t1": "openai", "t2": "other"}


@pytest.mark.parametrize(
    "text",
    ["", "name,provider\na,b\n", "id,provider\na,\n", "id,provider\n,b\n", "id,provider\n  ,b\n", "id,provider\na, \n"],
)
def test_a_table_that_is_none_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "providers.csv"
    path.write_text(text)
    with pytest.raises(LogError) as caught:
        read_providers(path)
    assert "\n" not in str(caught.value)


def test_a_missing_table_is_told(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot be read"):
        read_providers(tmp_path / "none.csv")


def test_two_lines_that_contradict_each_other_are_refused_and_both_named(tmp_path: Path) -> None:
    path = tmp_path / "providers.csv"
    path.write_text("id,provider\na,xai\nb,other\na , openai\n")
    with pytest.raises(LogError, match=r"lines 2 and 4: 'a' is of xai and of openai; keep one line"):
        read_providers(path)
    path.write_text("id,provider\na,xai\na,xAI\n")
    assert read_providers(path) == {"a": "xai"}
