"""The page of pictures shows every screen there is, and was made by the script as it is now."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures" / "screens"
ALIKE = {"creating": "opening", "stopping": "finishing"}
"""Places that look like another: said in the sentence of the other."""


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "screens_page.py"))


def test_the_page_is_fresh(script: dict[str, Any]) -> None:
    assert (ROOT / "docs" / "reference" / "screens.md").read_text("utf-8") == script["contents"]()


def test_every_place_of_the_survey_has_its_pictures(script: dict[str, Any]) -> None:
    machine = (ROOT / "page" / "src" / "machine.ts").read_text("utf-8")
    union = machine.partition("export type Place =")[2].partition(";\n\n")[0]
    places = re.findall(r"^  \| '(\w+)'", union, re.MULTILINE)
    assert {"consent", "trial", "unknown"} <= set(places)
    shown = {name: sentence for screens in script["SCREENS"].values() for name, sentence in screens.items()}
    for place in places:
        assert place in shown or f"`{place}`" in shown[ALIKE[place]], place


def test_there_are_no_other_pictures_and_they_are_small(script: dict[str, Any]) -> None:
    names = {name for screens in script["SCREENS"].values() for name in screens}
    expected = {
        f"{name}-{device}-{scheme}.webp"
        for name in names
        for device in script["DEVICES"]
        for scheme in script["SCHEMES"]
    }
    assert {picture.name for picture in PICTURES.iterdir()} == expected
    assert sum(picture.stat().st_size for picture in PICTURES.iterdir()) < 1_500_000
