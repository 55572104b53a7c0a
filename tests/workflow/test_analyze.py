"""From answers to an Analysis: what it depends on, what it does not, and what it says of too little."""

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

from answers import Rater, a_rater, a_table, an_analysis, shuffled, some_stimuli, without_made
from builders import s3
from limen.core.analysis.agreement import fleiss_kappa
from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.analysis.proportions import Equivalence, equivalence_to_chance
from limen.core.analysis.ratings import Ratings
from limen.core.analysis.sensitivity import SensitivityEstimate, pooled_sensitivity
from limen.core.analysis.trials import Participants
from limen.core.confounds import ConfoundAudit
from limen.core.criteria import ExclusionKind
from limen.core.debrief import DebriefRecord
from limen.core.description import DebriefSummary, ReadingSpeed
from limen.core.findings import Analysis
from limen.core.judgment import Response
from limen.core.outcome import Letter, MixedReason
from limen.core.protocol import Condition, ConditionRole, DriftRange, Protocol
from limen.core.sample import take_sample
from limen.core.simulated import Crowd, simulate_table
from limen.core.simulation import Observers
from limen.core.specification import SpecificationRow
from limen.dataset.analysis_file import decode_analysis, encode_analysis
from limen.dataset.summary_file import encode_summary
from limen.errors import NotReadyError, ProtocolError
from limen.workflow.collected import Arrivals, Material
from studies import a_stimulus_set

CROWD = Crowd(raters=8, observers=Observers(d_prime=1.4, criterion_sd=0.4, pair_sd=0.5, lapse_rate=0.05))


@cache
def _simulated() -> Analysis:
    return an_analysis(simulate_table(s3(), some_stimuli(), CROWD))


def test_the_order_of_rows_participants_and_stimuli_does_not_matter() -> None:
    again = an_analysis(shuffled(simulate_table(s3(), some_stimuli(), CROWD), seed=9))
    assert without_made(again) == without_made(_simulated())
    assert again.made.data_digest == _simulated().made.data_digest


def test_adding_an_excluded_participant_changes_no_estimate() -> None:
    people = [a_rater(2, 8, shift=k) for k in range(6)]
    without = an_analysis(a_table(people))
    added = an_analysis(a_table([*people, a_rater(9, 1, fails=3), a_rater(9, 1, answered=7)]))
    assert (added.n.started, added.n.excluded, added.n.analyzed) == (8, 2, 6)
    for name in ("as_specified", "companions", "hypotheses", "outcome", "raters", "pairs", "positions", "providers"):
        assert getattr(added, name) == getattr(without, name), name
    assert added.specification[0] == without.specification[0]
    assert [(left.answered, left.people) for left in added.departures] == [(7, 1)]


def test_the_flow_adds_up() -> None:
    arrivals = Arrivals(landed=40, consented=30, screened_in=20, withdrawn=1)
    people = [*(a_rater(shift=k) for k in range(5)), a_rater(answered=3), a_rater(task_ms=1)]
    found = an_analysis(a_table(people), arrivals=arrivals).n
    assert (found.landed, found.consented, found.screened_in, found.withdrawn) == (40, 30, 20, 1)
    assert (found.started, found.completed, found.excluded, found.analyzed) == (7, 6, 2, 5)


def test_nobody_at_all_is_said_clearly() -> None:
    with pytest.raises(NotReadyError, match="nobody has answered yet"):
        an_analysis(a_table([]))


def test_nobody_left_is_said_with_the_rules() -> None:
    with pytest.raises(
        NotReadyError,
        match=r"2 started and none is left .* \(1 incomplete, 1 attention; the first, P001, answered 2 of 23",
    ):
        an_analysis(a_table([a_rater(answered=2), a_rater(fails=3)]))


def test_whoever_answered_no_pair_is_no_rater_whatever_the_rules() -> None:
    lenient = replace(s3(), exclusions=())
    with pytest.raises(NotReadyError, match="2 started and none of them answered a pair"):
        an_analysis(a_table([a_rater(answered=0)] * 2), lenient)


@pytest.mark.parametrize("seed", range(12))
def test_odd_answers_are_analyzed_or_refused_and_written(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = int(rng.integers(1, 5))
    stimuli = [s for s in some_stimuli(pairs=pairs) if s.is_pair or rng.random() < 0.8]
    shares = rng.random(2) * rng.choice([0, 1, 1.5], 2)
    people = [
        Rater(
            off={
                "BASELINE": (rng.random(pairs) < shares[0]).tolist(),
                "CATASTROPHIC": (rng.random(pairs) < shares[1]).tolist(),
            },
            fails=2 * int(rng.random() < 0.2),
            answered=int(rng.integers(0, len(stimuli) + 1)) if rng.random() < 0.3 else None,
        )
        for _ in range(int(rng.integers(1, 9)))
    ]
    rules = tuple(rule for rule in s3().exclusions if rng.random() < 0.6)
    table = a_table(people, stimuli=tuple(stimuli))
    if rng.random() < 0.3:
        table = replace(table, response_time_ms=None, participants=Participants.of(table.participants.ids))
    try:
        found = an_analysis(table, replace(s3(), exclusions=rules))
    except NotReadyError:
        return
    assert decode_analysis(encode_analysis(found)) == found
    assert encode_summary(found).count(b"\n") > 100


@pytest.mark.parametrize("raters", [1, 2, 4])
def test_too_few_raters_are_not_assessable_but_described(raters: int) -> None:
    found = an_analysis(a_table([a_rater(2, 8, shift=k) for k in range(raters)]))
    assert found.outcome.letter is Letter.NOT_ASSESSABLE
    assert f"{raters} of at least 5 raters" in found.outcome.reason_sentence
    assert found.as_specified.conditions["catastrophic"].off == 8 * raters
    if raters == 1:
        assert isinstance(found.as_specified.fleiss_kappa["all"], Undetermined)
        assert isinstance(found.companions.crossed_t.difference.p, Undetermined)


def test_raters_who_are_all_alike_leave_no_number_as_nan() -> None:
    found = an_analysis(a_table([a_rater(0, 10) for _ in range(5)]))
    assert found.outcome.letter is Letter.A
    assert found.companions.crossed_t.difference.p_one_sided == max(2**-5, 1 / 184756)
    assert isinstance(found.companions.glmm.logit.condition.estimate, Undetermined)
    assert "separation" in found.companions.glmm.logit.condition.estimate.reason


def test_the_equivalence_of_the_report_is_the_one_held_against_r() -> None:
    protocol = replace(s3(), exclusions=(), decision=replace(s3().decision, chance_low=0.35, chance_high=0.7))
    table = a_table([*(a_rater(5, 8, shift=k) for k in range(8)), a_rater(answered=7)], protocol=protocol)
    tost = an_analysis(table, protocol).companions.tost
    sample = take_sample(table, protocol, np.ones(9, dtype=np.bool_))
    every, complete = (part.of_condition("BASELINE") for part in (sample.ratings, sample.complete))
    found = equivalence_to_chance(every, low=0.35, high=0.7, complete=complete)
    assert isinstance(found, Equivalence)
    assert (every.raters, complete.raters) == (9, 8)
    assert (tost.low, tost.high, tost.p_lower, tost.p_upper) == (0.35, 0.7, found.p_lower, found.p_upper)
    assert (tost.crossed_90_interval, tost.established) == (found.crossed_interval_90, found.established)
    assert isinstance(found.crossed_interval_90, Interval)


def _letter_and_kappa(row: SpecificationRow) -> tuple[object, ...]:
    found = row.result
    return (found,) if isinstance(found, Undetermined) else (found.letter, found.reason, found.fleiss_kappa, found.ac1)


def test_a_condition_in_between_is_described_and_decides_nothing() -> None:
    middle = Condition(
        name="WARNING",
        prefix="WARN",
        role=ConditionRole.BETWEEN,
        drift=DriftRange(above=0.5, below=0.8),
        count=10,
        a_replies=s3().conditions[0].a_replies,
        b_replies=s3().conditions[0].b_replies,
    )
    protocol = replace(s3(), conditions=(s3().conditions[0], middle, s3().conditions[1]))
    agreed = a_rater(2, 2).off["BASELINE"]
    people = [
        replace(rater, off={**rater.off, "WARNING": agreed}) for rater in (a_rater(2, 8, shift=k) for k in range(6))
    ]
    found = an_analysis(a_table(people, protocol=protocol, stimuli=some_stimuli(protocol)), protocol)
    plain = an_analysis(a_table([a_rater(2, 8, shift=k) for k in range(6)]))
    assert list(found.as_specified.fleiss_kappa) == ["all", "catastrophic", "baseline", "warning"]
    assert found.as_specified.conditions["warning"].off == 12
    answers = [[said for part in person.off.values() for said in part] for person in people]
    every = fleiss_kappa(Ratings.of(answers, ["any"] * 30).category_counts())
    assert isinstance(every, float)
    assert every > s3().decision.kappa_above, "with the pairs between counted, the letter would be another"
    assert found.as_specified.fleiss_kappa["warning"] == 1.0
    assert {**found.as_specified.fleiss_kappa, "warning": 0} == {**plain.as_specified.fleiss_kappa, "warning": 0}
    assert found.companions.agreement["all"] == plain.companions.agreement["all"]
    assert (found.outcome.letter, found.outcome.reason) == (Letter.C, MixedReason.ONLY_AGREEMENT_FAILS)
    assert found.outcome.clauses == plain.outcome.clauses
    assert [_letter_and_kappa(row) for row in found.specification] == [
        _letter_and_kappa(row) for row in plain.specification
    ]
    assert "neither a test nor the agreement of the outcome counts them" in " ".join(found.outcome.support)
    assert isinstance(found.as_specified.conditions["warning"].accuracy, Undetermined)
    assert found.as_specified.chi_square == plain.as_specified.chi_square
    assert found.companions.crossed_t == plain.companions.crossed_t
    assert isinstance(next(p for p in found.pairs if p.condition == "warning").off_rate_shrunken, Undetermined)
    assert "0.50–0.80" in " ".join(found.outcome.support)


def test_a_late_control_is_a_condition_of_its_own_and_never_pooled_with_the_baseline() -> None:
    late = Condition(
        name="LATE",
        prefix="LATE",
        role=ConditionRole.CONTROL,
        drift=s3().conditions[0].drift,
        count=10,
        a_replies=s3().conditions[0].a_replies,
        b_replies=s3().conditions[1].b_replies,
        expected=s3().conditions[0].expected,
    )
    protocol = replace(s3(), conditions=(*s3().conditions, late))
    people = [
        replace(rater, off={**rater.off, "LATE": rater.off["CATASTROPHIC"]})
        for rater in (a_rater(2, 8, shift=k) for k in range(6))
    ]
    found = an_analysis(a_table(people, protocol=protocol, stimuli=some_stimuli(protocol)), protocol)
    plain = an_analysis(a_table([a_rater(2, 8, shift=k) for k in range(6)]))
    assert list(found.as_specified.fleiss_kappa) == ["all", "catastrophic", "baseline", "late"]
    assert found.as_specified.conditions["late"].off == 48
    assert found.as_specified.conditions["late"].accuracy == pytest.approx(0.2)
    assert found.as_specified.conditions["baseline"] == plain.as_specified.conditions["baseline"]
    assert found.as_specified.binomial == plain.as_specified.binomial
    assert found.as_specified.chi_square == plain.as_specified.chi_square
    assert found.companions.crossed_t == plain.companions.crossed_t
    assert found.as_specified.fleiss_kappa["all"] == plain.as_specified.fleiss_kappa["all"]
    assert found.outcome.clauses == plain.outcome.clauses
    assert "Only drift < 0.30 and > 1.00 (" in " ".join(found.outcome.support)
    assert "LATE pairs are late in their conversation and hardly drifted" in " ".join(found.outcome.support)


def test_a_study_folder_tells_what_else_differs_and_a_table_cannot() -> None:
    table = a_table([a_rater(2, 8, shift=k) for k in range(6)])
    bare = an_analysis(table)
    assert bare.confounds == Undetermined(reason="a table of answers does not hold the texts")
    found = an_analysis(table, material=Material.of(s3(), a_stimulus_set()))
    assert isinstance(found.confounds, ConfoundAudit)
    assert [one.pairs for one in found.confounds.conditions] == [10, 10]


def test_other_names_for_the_two_roles_are_keys_of_their_own() -> None:
    protocol = _renamed(s3(), {"BASELINE": "CALM", "CATASTROPHIC": "WILD"})
    people = [
        replace(r, off={"CALM": r.off["BASELINE"], "WILD": r.off["CATASTROPHIC"]})
        for r in (a_rater(2, 8, shift=k) for k in range(5))
    ]
    found = an_analysis(a_table(people, protocol=protocol, stimuli=some_stimuli(protocol)), protocol)
    assert set(found.as_specified.conditions) == {"calm", "wild"}
    assert set(found.companions.agreement) == {"all", "calm", "wild"}
    assert "WILD" in found.outcome.reason_sentence


def _renamed(protocol: Protocol, names: dict[str, str]) -> Protocol:
    return replace(protocol, conditions=tuple(replace(c, name=names[c.name]) for c in protocol.conditions))


def test_a_condition_cannot_be_called_like_a_key_of_the_results() -> None:
    protocol = _renamed(s3(), {"BASELINE": "CALM", "CATASTROPHIC": "BINOMIAL"})
    with pytest.raises(ProtocolError, match="BINOMIAL"):
        an_analysis(a_table([], protocol=protocol, stimuli=some_stimuli(protocol)), protocol)


def test_settings_that_differ_are_listed() -> None:
    protocol = replace(
        s3(),
        study=replace(s3().study, minimum_raters=3),
        exclusions=tuple(rule for rule in s3().exclusions if rule.rule is not ExclusionKind.TOO_FAST),
    )
    found = an_analysis(a_table([a_rater(shift=k) for k in range(3)]), protocol)
    settings = {setting.key: (setting.built_in, setting.here) for setting in found.settings}
    assert settings["study.minimum_raters"] == ("5", "3")
    assert "minimum_duration_s = 300" in settings["exclusions.too_fast"][0]
    assert an_analysis(a_table([a_rater()])).settings == ()


def test_the_debrief_of_the_analyzed_is_counted() -> None:
    records = (
        DebriefRecord(participant="P001", strategies=(0, 2), other=" odd ", age=1, use=0),
        DebriefRecord(participant="P002", strategies=(2,)),
        DebriefRecord(participant="P003"),
        DebriefRecord(participant="P009", strategies=(1,), age=4),
    )
    debrief = an_analysis(a_table([a_rater(shift=k) for k in range(3)]), debrief=records).debrief
    assert isinstance(debrief, DebriefSummary)
    assert [choice.chosen for choice in debrief.strategy] == [1, 0, 2, 0, 0, 0]
    assert (debrief.raters, debrief.strategy_answered, debrief.other) == (3, 2, ("odd",))
    assert (debrief.age_answered, debrief.age[1].chosen, debrief.use_answered) == (1, 1, 1)


def test_a_table_alone_has_no_debrief() -> None:
    assert isinstance(_simulated().debrief, Undetermined)


def test_times_and_reading_speed_are_described() -> None:
    found = an_analysis(a_table([a_rater(2, 8, shift=k, response_time_ms=20_000 + 1000 * k) for k in range(5)]))
    assert not isinstance(found.response_times, Undetermined)
    rows = {(row.condition, row.correct): row for row in found.response_times}
    assert rows["catastrophic", None].n == 50
    assert rows["catastrophic", True].n == 40
    assert rows["baseline", False].n == 10
    assert rows["catastrophic", None].median == 22_000
    assert len(rows["catastrophic", None].quantiles) == 21
    assert sum(rows["catastrophic", None].bin_counts) == 50
    speed = found.reading_speed
    assert isinstance(speed, ReadingSpeed)
    assert speed.conditions[0].median == pytest.approx(490 / (22 / 60))
    # a check of 400 words in 24 s is read at exactly 1,000 words a minute, which is not over it
    assert (speed.trials_over_limit, speed.raters_over_limit) == (5 * 23 - 3, 5)


def test_attention_checks_are_described_one_by_one() -> None:
    people = [*(a_rater(shift=k) for k in range(5)), a_rater(fails=1), a_rater(fails=2)]
    checks = {check.check_id: check for check in an_analysis(a_table(people)).attention}
    assert list(checks) == ["ATT_IDENTICAL", "ATT_GIBBERISH", "ATT_INSTRUCTION"]
    assert (checks["ATT_IDENTICAL"].failed, checks["ATT_IDENTICAL"].failed_among_analyzed) == (2, 1)
    assert (checks["ATT_GIBBERISH"].failed, checks["ATT_GIBBERISH"].failed_among_analyzed) == (1, 0)
    assert (checks["ATT_INSTRUCTION"].passed, checks["ATT_INSTRUCTION"].failed) == (7, 0)
    assert (checks["ATT_IDENTICAL"].position, checks["ATT_IDENTICAL"].expected) == (7, Response.NORMAL)


def test_shrunken_estimates_lie_between_the_raters_own_and_the_group() -> None:
    found = _simulated()
    own = [rater.d_prime for rater in found.raters]
    shrunken = [rater.c_shrunken for rater in found.raters]
    assert all(isinstance(value, float) for value in own + shrunken)
    c = np.array([rater.c for rater in found.raters], dtype=float)
    assert np.std(np.array(shrunken, dtype=float)) < np.std(c)
    rates = [pair.off_rate_shrunken for pair in found.pairs]
    assert all(isinstance(rate, Estimate) for rate in rates)


def test_without_spread_the_model_says_nothing_of_single_raters_and_pairs() -> None:
    found = an_analysis(a_table([a_rater(2, 8, shift=k) for k in range(10)]))
    said = {value.reason for pair in found.pairs if isinstance(value := pair.off_rate_shrunken, Undetermined)}
    assert said == {"the model found no spread between pairs, so it gives every pair of a condition the same value"}
    for rater in found.raters:
        assert isinstance(rater.d_prime_shrunken, Undetermined)
        assert isinstance(rater.c_shrunken, Undetermined)


def test_rater_and_pair_rows_agree_with_the_answers() -> None:
    found = _simulated()
    for rater in found.raters:
        assert rater.answers.count("O") == sum(rater.off.values())
        assert len(rater.answers) == len(found.pairs)
    for place, pair in enumerate(found.pairs):
        assert pair.off == sum(rater.answers[place] == "O" for rater in found.raters)


def test_providers_have_estimates_and_no_tests() -> None:
    providers = _simulated().providers
    assert not isinstance(providers, Undetermined)
    assert sum(row.n for row in providers) == 8 * 20
    assert {name for row in providers for name in (f.name for f in fields(row))}.isdisjoint({"p", "t", "z"})


def test_the_metric_is_named_where_it_is_known() -> None:
    material = Material(metric="keyword-rms/limen-1", standing="protocol thresholds on Limen's lexicon", digest="d")
    found = an_analysis(a_table([a_rater(shift=k) for k in range(5)]), material=material)
    assert "metric keyword-rms/limen-1: protocol thresholds on Limen's lexicon" in " ".join(found.outcome.support)
    assert found.made.stimulus_digest == "d"


def test_simulated_observers_come_back() -> None:
    crowd = Crowd(raters=300, observers=Observers(d_prime=1.5, criterion=0.2))
    table = simulate_table(s3(), some_stimuli(), crowd)
    ratings = table.ratings()
    found = pooled_sensitivity(ratings.contrast(target="CATASTROPHIC", baseline="BASELINE"))
    assert isinstance(found, SensitivityEstimate)
    assert found.d_prime.value == pytest.approx(1.5, abs=0.08)
    assert found.criterion.value == pytest.approx(0.2, abs=0.05)
    positions = table.trial_number[np.isin(table.stimulus, table.check_places)]
    assert set(positions.tolist()) == {7, 14, 20}
    assert all(clock == "own" for clock in table.participants.main_task_clock)
