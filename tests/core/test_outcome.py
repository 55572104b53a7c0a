"""Every evidence has one outcome and only one; thresholds are held exactly; every letter and reason is reached."""

import itertools
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers import Rater, a_conclusion, a_rater, a_table, some_stimuli
from builders import s3
from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.conclusion import CAVEATS
from limen.core.criteria import Scope
from limen.core.estimation import estimate_as_specified, evidence_for
from limen.core.measures import ConditionDifference
from limen.core.outcome import (
    CompanionVerdict,
    Evidence,
    Letter,
    MixedReason,
    Outcome,
    Tally,
    Verdict,
    companion_verdict,
    decide,
)
from limen.core.sample import take_sample

NONE = Undetermined(reason="not computable")


def _evidence(
    target: tuple[int, int] = (70, 100),
    baseline: tuple[int, int] = (30, 100),
    *,
    raters: int = 10,
    binomial: float | Undetermined = 0.001,
    chi: float | Undetermined = 0.001,
    kappa: float | Undetermined = 0.5,
) -> Evidence:
    """Build evidence from OFF counts out of n; the baseline expects NORMAL."""
    return Evidence(
        raters=raters,
        target=Tally(n=target[1], off=target[0], right=target[0]),
        baseline=Tally(n=baseline[1], off=baseline[0], right=baseline[1] - baseline[0]),
        binomial_p=binomial,
        chi_square_p=chi,
        kappa=kappa,
    )


def _decide(evidence: Evidence) -> Verdict:
    return decide(evidence, s3().decision, s3().study.minimum_raters)


def _expected(evidence: Evidence) -> str:
    """Say the rulings' rule once more, in other words."""
    target, baseline = evidence.target, evidence.baseline
    if evidence.raters < 5 or not target.n or not baseline.n:
        return "NOT ASSESSABLE"
    p, kappa = evidence.chi_square_p, evidence.kappa
    hit, kept = Fraction(target.right, target.n), Fraction(baseline.right, baseline.n)
    differs = isinstance(p, float) and p < 0.05
    more = Fraction(target.off, target.n) > Fraction(baseline.off, baseline.n)
    agree = isinstance(kappa, float) and kappa > 0.40
    beyond = isinstance(evidence.binomial_p, float) and evidence.binomial_p < 0.05
    near = all(Fraction(2, 5) <= share <= Fraction(3, 5) for share in (hit, kept))
    if hit > Fraction(3, 5) and beyond and differs and more:
        return "A" if agree else "C1"
    if differs and more and hit <= Fraction(3, 5):
        return "C2"
    if not differs:
        if near:
            return "C4" if agree else "B"
        return "C3"
    return "C4"


def _said(verdict: Verdict) -> str:
    return str(verdict.reason or verdict.letter)


def test_the_whole_grid_of_clauses_is_decided_as_ruled() -> None:
    numbers: tuple[float | Undetermined, ...] = (0.001, 0.05, 0.2, NONE)
    kappas: tuple[float | Undetermined, ...] = (-0.1, 0.40, 0.41, NONE)
    counts = ((0, 0), (0, 100), (39, 100), (40, 100), (60, 100), (61, 100), (100, 100))
    seen = set()
    for target, baseline, chi, binomial, kappa, raters in itertools.product(
        counts, counts, numbers, numbers, kappas, (4, 5)
    ):
        evidence = _evidence(target, baseline, raters=raters, binomial=binomial, chi=chi, kappa=kappa)
        said = _said(_decide(evidence))
        assert said == _expected(evidence), evidence
        seen.add(said)
    assert seen == {"A", "B", "C1", "C2", "C3", "C4", "NOT ASSESSABLE"}


@given(st.data())
def test_random_answers_have_one_outcome_and_only_one(data: st.DataObject) -> None:
    raters = data.draw(st.integers(1, 12))
    share = data.draw(st.tuples(st.floats(0, 1), st.floats(0, 1)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    people = [
        Rater(
            off={"BASELINE": (rng.random(10) < share[0]).tolist(), "CATASTROPHIC": (rng.random(10) < share[1]).tolist()}
        )
        for _ in range(raters)
    ]
    sample = take_sample(a_table(people), s3(), np.ones(raters, dtype=np.bool_))
    found = estimate_as_specified(sample, s3())
    for scope in (Scope.ALL, Scope.TARGET):
        evidence = evidence_for(sample, found, scope)
        verdict = _decide(evidence)
        assert _said(verdict) == _expected(evidence)
        holds = {name: value is True for name, value in verdict.clauses.items()}
        is_a = all(holds[name] for name in ("a1", "a2", "a3", "a4"))
        is_b = all(holds[name] for name in ("b1", "b2", "b3"))
        assert not (is_a and is_b)
        if raters >= 5:
            assert verdict.letter == ("A" if is_a else "B" if is_b else "C")
        assert (verdict.reason is not None) == (verdict.letter is Letter.C)


@pytest.mark.parametrize(
    ("evidence", "clause", "holds"),
    [
        (_evidence((60, 100)), "a1", False),
        (_evidence((61, 100)), "a1", True),
        (_evidence((6, 10)), "a1", False),
        (_evidence(binomial=0.05), "a2", False),
        (_evidence(chi=0.05), "a3", False),
        (_evidence(chi=NONE), "a3", False),
        (_evidence((30, 100), (70, 100)), "a3", False),
        (_evidence(kappa=0.40), "a4", False),
        (_evidence(kappa=NONE), "a4", False),
        (_evidence((40, 100), (60, 100)), "b1", True),
        (_evidence((39, 100), (60, 100)), "b1", False),
        (_evidence(chi=NONE), "b2", True),
        (_evidence(kappa=NONE), "b3", True),
    ],
)
def test_a_clause_holds_exactly_from_its_threshold_on(evidence: Evidence, clause: str, holds: bool) -> None:
    assert _decide(evidence).clauses[clause] is holds


def _difference(p: float | Undetermined, low: float | None = None, high: float = 0.1) -> ConditionDifference:
    bounds: Interval | Undetermined = NONE if low is None else Interval(low=low, high=high, level=0.90)
    return ConditionDifference(
        difference=Estimate(value=0.1, interval=NONE, n=1, method="t"),
        difference_90_interval=bounds,
        t=1.0,
        df=1.0,
        p=p,
        p_one_sided=p,
    )


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        (_difference(0.01, 0.05, 0.3), CompanionVerdict.DETECTS),
        (_difference(0.01, 0.05, 0.20), CompanionVerdict.BELOW_MARGIN),
        (_difference(0.30, -0.2, 0.2), CompanionVerdict.EQUIVALENT),
        (_difference(0.30, -0.3, 0.2), CompanionVerdict.INCONCLUSIVE),
        (_difference(0.05, -0.3, 0.2), CompanionVerdict.INCONCLUSIVE),
        (_difference(0.01), CompanionVerdict.DETECTS),
        (_difference(1.0), CompanionVerdict.INCONCLUSIVE),
        (_difference(NONE), NONE),
    ],
)
def test_the_companion_verdict(difference: ConditionDifference, verdict: object) -> None:
    assert companion_verdict(difference, s3().decision) == verdict


ROUND = range(10)
CASES = {
    "A": [a_rater(1, 9, shift=k // 9) for k in ROUND],
    "B": [a_rater(5, 5, shift=k) for k in ROUND],
    "C1": [a_rater(3, 7, shift=k) for k in ROUND],
    "C2": [a_rater(1, 5, shift=k) for k in ROUND],
    "C3": [a_rater(1, 1, shift=k) for k in ROUND],
    "C4 wrong way": [a_rater(7, 4, shift=k) for k in ROUND],
    "C4 but for kappa": [a_rater(5, 5) for _ in ROUND],
    "NOT ASSESSABLE": [a_rater(1, 9, shift=k) for k in range(4)],
}


@cache
def _outcome(name: str) -> Outcome:
    return a_conclusion(a_table(CASES[name]))[0]


@pytest.mark.parametrize("name", CASES)
def test_every_letter_and_reason_is_reached_by_answers(name: str) -> None:
    outcome = _outcome(name)
    letter, _, rest = name.partition(" ")
    said = str(outcome.reason or outcome.letter)
    assert said == (name if name == "NOT ASSESSABLE" else letter)
    assert outcome.support
    if outcome.letter is Letter.NOT_ASSESSABLE:
        assert outcome.reason_sentence == "4 of at least 5 raters can be analyzed; 1 more is needed."
        assert outcome.quotation == ""
    else:
        assert outcome.title == s3().outcomes[outcome.letter].title
    words = {"wrong way": "wrong way round", "but for kappa": "agree with each other"}.get(rest, "")
    assert words in outcome.reason_sentence


def test_above_the_threshold_without_significance_is_c4() -> None:
    people = [a_rater(0, 2, pairs=2), a_rater(0, 2, pairs=2), *(a_rater(0, 1, pairs=2, shift=k) for k in range(3))]
    outcome = a_conclusion(a_table(people, stimuli=some_stimuli(pairs=2)))[0]
    assert outcome.reason is MixedReason.REST
    assert "not significantly above chance" in outcome.reason_sentence


def test_no_answer_in_a_condition_is_not_assessable() -> None:
    stimuli = tuple(s for s in some_stimuli() if s.condition != "BASELINE")
    outcome = a_conclusion(a_table([a_rater()] * 6, stimuli=stimuli))[0]
    assert outcome.letter is Letter.NOT_ASSESSABLE
    assert outcome.reason_sentence == "There is no answer to any BASELINE pair."


def test_the_letter_under_the_other_scope_is_always_given() -> None:
    people = [a_rater(2, 8) if k else a_rater(2, 8, shift=1) for k in ROUND]
    spread = [
        replace(p, off={**p.off, "CATASTROPHIC": a_rater(2, 8, shift=k).off["CATASTROPHIC"]})
        for k, p in enumerate(people)
    ]
    outcome = a_conclusion(a_table(spread))[0]
    assert (outcome.letter, outcome.letter_other_scope) == (Letter.A, Letter.C)
    other = replace(s3(), decision=replace(s3().decision, agreement_scope=Scope.TARGET))
    turned = a_conclusion(a_table(spread), other)[0]
    assert (turned.letter, turned.letter_other_scope) == (Letter.C, Letter.A)


def test_outcome_b_of_ten_raters_is_only_suggested() -> None:
    outcome = _outcome("B")
    assert "With 10 raters Outcome B can be suggested, never established." in outcome.support


def test_c3_is_b_in_substance_only_with_equivalence() -> None:
    shown = _outcome("C3")
    assert shown.companion_verdict is CompanionVerdict.EQUIVALENT
    assert "In substance Outcome B" in shown.reason_sentence
    assert "With 10 raters Outcome B can be suggested, never established." in shown.support
    more = a_conclusion(a_table([a_rater(1, 1, shift=k) for k in range(11)]))[0]
    assert more.companion_verdict is CompanionVerdict.EQUIVALENT
    assert "can be suggested" not in " ".join(more.support)
    rng = np.random.default_rng(3)
    noisy = [a_rater(int(rng.integers(0, 4)), int(rng.integers(0, 5)), shift=3 * k) for k in range(5)]
    open_ = a_conclusion(a_table(noisy))[0]
    assert open_.reason is MixedReason.RESPONSE_BIAS
    assert open_.companion_verdict is CompanionVerdict.INCONCLUSIVE
    assert "This does not show that there is none." in open_.reason_sentence
    assert "can be suggested" not in " ".join(open_.support)


def test_only_what_was_sampled_is_claimed() -> None:
    support = " ".join(_outcome("A").support)
    assert "Only drift < 0.30 and > 1.00" in support
    assert "a boundary, if there is one, lies between" in support


@pytest.mark.parametrize("name", CAVEATS)
def test_every_simulated_figure_names_its_assumptions(name: str) -> None:
    for assumption in ("10 pairs a condition", "rater and item SD 0.7 logits", "slope SD 0.4 on a ±1 contrast"):
        assert assumption in CAVEATS[name]
    assert re.search(r"\d+ raters", CAVEATS[name])
