"""What was sampled is said along the drift axis, and a gap is claimed only where there is one."""

import pytest

from limen.core.protocol import DriftRange
from limen.core.sampled import sampled_drift, unsampled

LOW, HIGH = DriftRange(below=0.30), DriftRange(above=1.00)
TWO = "Only drift < 0.30 and > 1.00 (metric m) was sampled, so a boundary, if there is one, lies between."


@pytest.mark.parametrize(
    ("ranges", "says"),
    [
        ([LOW, HIGH], TWO),
        ([LOW, HIGH, LOW], TWO),
        (
            [LOW, HIGH, DriftRange(above=0.30, below=1.00)],
            "Drift < 0.30, 0.30–1.00 and > 1.00 (metric m) was sampled, without a gap; the outcome looks for no "
            "boundary within.",
        ),
        (
            [HIGH, LOW, DriftRange(above=0.50, below=0.80)],
            "Only drift < 0.30, 0.50–0.80 and > 1.00 (metric m) was sampled; of 0.30–0.50 and 0.80–1.00 "
            "nothing is known.",
        ),
    ],
)
def test_a_boundary_lies_between_only_where_nothing_was_sampled(ranges: list[DriftRange], says: str) -> None:
    assert sampled_drift(ranges, "m") == says


def test_a_stretch_within_another_opens_no_gap() -> None:
    wide = DriftRange(above=0.20, below=1.20)
    assert unsampled([LOW, wide, DriftRange(above=0.25, below=0.28), HIGH]) == ()


def test_one_stretch_alone_has_no_gap() -> None:
    assert unsampled([LOW]) == unsampled([]) == ()
