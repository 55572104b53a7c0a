"""The report of a small study, held against what was reviewed. `scripts/golden` writes it anew."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from limen.report.sections.made import MADE
from simulated_studies import Plan, an_analysis, undrawn

GOLDEN = Path(__file__).parent / "golden"
REPORTS = {"people": Plan(), "table": Plan(table_only=True, raters=6, seed=5)}


@pytest.mark.parametrize("name", REPORTS)
def test_the_report_is_the_one_that_was_reviewed(name: str) -> None:
    report = undrawn(an_analysis(REPORTS[name]))
    assert f'<section id="{MADE}"' in report.html
    written = {
        f"{name}.html": re.sub(rf'<section id="{MADE}".*?</section>', "", report.html, flags=re.DOTALL),
        f"{name}.md": report.markdown[: report.markdown.index("\n## Made on, with")],
    }
    for file, text in written.items():
        if os.environ.get("LIMEN_WRITE_GOLDEN"):
            (GOLDEN / file).write_text(text, "utf-8")
        assert (GOLDEN / file).read_text("utf-8") == text, f"{file} differs; review, then run scripts/golden"


def test_only_the_last_block_differs_when_made_at_another_time() -> None:
    analysis = an_analysis()
    later = replace(
        analysis, made=replace(analysis.made, at=analysis.made.at.replace(year=2031), versions={"limen": "9"})
    )
    one, other = undrawn(analysis).markdown, undrawn(later).markdown
    assert one != other
    assert one.split("## Made on, with")[0] == other.split("## Made on, with")[0]
