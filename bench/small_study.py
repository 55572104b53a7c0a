"""What a study of this size can show: simulated studies through the outcome and its companion, share by share.

2,000 studies a row, 10 pairs a condition, fixed seed. Raters and pairs differ by 0.7 logits, raters' sensitivity by 0.8
on the distance between the conditions (0.4 on a ±1 contrast). The table goes into
docs/explanation/what-ten-raters-can-show.md; a test holds the two together.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.agreement import fleiss_values, pair_terms
from limen.core.analysis.contrasts import crossed_t_difference
from limen.core.analysis.estimates import Interval, Undetermined
from limen.core.analysis.proportions import exact_binomial
from limen.core.analysis.ratings import Ratings
from limen.core.analysis.tables import condition_table, independence
from limen.core.outcome import Evidence, Letter, Tally, decide
from limen.core.simulation import Noise, Observers, expected_off_rate, simulate_answers
from limen.study.protocol_file import built_in_protocol

STUDIES, PAIRS = 2_000, 10
SIGNAL = np.repeat([-0.5, 0.5], PAIRS)
NAMES = ["calm"] * PAIRS + ["wild"] * PAIRS
RATERS = (5, 10, 20, 50)
PROTOCOL = built_in_protocol()


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Raters of one kind: how far apart the conditions are for them, and how slow they are to say OFF, in logits."""

    name: str
    distance: float
    criterion: float = 0.0


KINDS = (
    Kind(name="notice nothing", distance=0.0),
    Kind(name="notice nothing, say OFF readily", distance=0.0, criterion=-0.758),
    Kind(name="notice a little", distance=1.0, criterion=0.5),
    Kind(name="notice", distance=2.0, criterion=0.5),
    Kind(name="notice clearly", distance=4.0, criterion=0.5),
)


def main() -> int:
    """Simulate, print and write the table."""
    rows = [row_of(kind, raters) for kind in KINDS for raters in RATERS]
    result = {"studies": STUDIES, "pairs": PAIRS, "rater_sd": 0.7, "pair_sd": 0.7, "distance_sd": 0.8, "rows": rows}
    folder = Path(__file__).parent / "results"
    (folder / "small_study.json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))  # noqa: T201 - it is what the benchmark is for
    return 0


def row_of(kind: Kind, raters: int) -> dict[str, object]:
    """Simulate studies of one kind of raters and count what comes of them."""
    observers = Observers(
        d_prime=kind.distance,
        criterion=kind.criterion,
        d_prime_sd=0.8,
        criterion_sd=0.7,
        pair_sd=0.7,
        noise=Noise.LOGISTIC,
    )
    rng = np.random.default_rng([20251228, raters, round(1000 * kind.distance), round(1000 * abs(kind.criterion))])
    answers = simulate_answers(observers, signal=SIGNAL, raters=raters, studies=STUDIES, rng=rng)
    letters = dict.fromkeys((Letter.A, Letter.B, Letter.C), 0)
    detects = equivalent = 0
    widths = []
    for off in answers:
        letters[letter_of(off)] += 1
        contrast = Ratings.of(off, NAMES).contrast(target="wild", baseline="calm")
        test = crossed_t_difference(contrast)
        if isinstance(test, Undetermined):
            continue
        detects += test.p_one_sided < 0.05
        if isinstance(test.interval_90, Interval) and isinstance(test.interval_95, Interval):
            equivalent += test.interval_90.within(-0.20, 0.20)
            widths.append(test.interval_95.high - test.interval_95.low)
    return {
        "raters_who": kind.name,
        "raters": raters,
        "off_rate_target": round(expected_off_rate(observers, signal=0.5), 2),
        "off_rate_baseline": round(expected_off_rate(observers, signal=-0.5), 2),
        **{letter.value: round(count / STUDIES, 3) for letter, count in letters.items()},
        "detects": round(detects / STUDIES, 3),
        "equivalent": round(equivalent / STUDIES, 3),
        "median_interval_points": round(100 * float(np.median(widths))),
    }


def letter_of(off: NDArray[np.bool_]) -> Letter:
    """Decide one study as the protocol does."""
    ratings = Ratings.of(off, NAMES)
    contrast = ratings.contrast(target="wild", baseline="calm")
    target, baseline = contrast.target, contrast.baseline
    binomial = exact_binomial(target.n_off, target.n)
    table = independence(condition_table(contrast))
    counts = ratings.category_counts()
    kappa = float(fleiss_values(pair_terms(counts), np.ones(len(NAMES))))
    evidence = Evidence(
        raters=ratings.raters,
        target=Tally(n=target.n, off=target.n_off, right=target.n_off),
        baseline=Tally(n=baseline.n, off=baseline.n_off, right=baseline.n - baseline.n_off),
        binomial_p=binomial if isinstance(binomial, Undetermined) else binomial.p,
        chi_square_p=table if isinstance(table, Undetermined) else table.chi_square.p,
        kappa=Undetermined(reason="all alike") if np.isnan(kappa) else kappa,
    )
    return decide(evidence, PROTOCOL.decision, PROTOCOL.study.minimum_raters).letter


if __name__ == "__main__":
    sys.exit(main())
