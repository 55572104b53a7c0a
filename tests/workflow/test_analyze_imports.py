"""An analysis does not pay for packages that it could do without (ADR 0013)."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

IMPORTED = "import limen.workflow.analyze"
ANALYZED = """
from answers import a_rater, a_table, an_analysis
from builders import s3
from limen.dataset.analysis_file import encode_analysis
from limen.dataset.summary_file import encode_summary
from limen.report.rendering import render_report
from limen.workflow.collected import Material
from studies import a_stimulus_set

table = a_table([a_rater(2, 8, shift=k) for k in range(6)])
found = an_analysis(table, material=Material.of(s3(), a_stimulus_set()))
assert found.confounds.comparisons
encode_analysis(found), encode_summary(found), render_report(found)
"""
COMMANDED = "import limen.cli.main"


@pytest.mark.parametrize("program", [IMPORTED, ANALYZED, COMMANDED], ids=["imported", "analyzed", "commanded"])
def test_neither_scipy_stats_nor_statsmodels_is_imported(program: str) -> None:
    asked = "import sys; print(*{'scipy.stats', 'statsmodels', 'pandas'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{asked}"],
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
