from typing import Any

import numpy as np
import pytest
from scipy import stats

from limen.core.simulation import (
    Noise,
    Observers,
    Readers,
    expected_off_rate,
    simulate_answers,
    simulate_response_times_ms,
    simulate_study,
)
from limen.errors import InputError

FIVE = {"still": -0.5, "calm": -0.25, "warm": 0.0, "hot": 0.25, "wild": 0.5}


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_the_same_seed_gives_the_same_study() -> None:
    def once() -> bytes:
        study = simulate_study(
            Observers(d_prime=1, criterion_sd=0.5, pair_sd=0.5, d_prime_sd=0.5, lapse_rate=0.1),
            condition_of_pair=["calm", "wild"] * 5,
            signal=FIVE,
            raters=10,
            rng=rng(),
        )
        return study.ratings.off.tobytes() + study.d_prime.tobytes() + study.pair_shift.tobytes()

    assert once() == once()


def test_conditions_along_an_axis_are_answered_in_their_order() -> None:
    study = simulate_study(Observers(d_prime=3.0), condition_of_pair=list(FIVE) * 4, signal=FIVE, raters=400, rng=rng())
    rates = [study.ratings.of_condition(name).off.mean() for name in FIVE]
    expected = [expected_off_rate(Observers(d_prime=3.0), signal=x) for x in FIVE.values()]
    assert rates == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 1600))
    assert rates == sorted(rates)


@pytest.mark.parametrize("noise", Noise)
def test_answers_come_at_the_expected_rate(noise: Noise) -> None:
    observers = Observers(
        d_prime=1.5,
        criterion=0.4,
        d_prime_sd=0.5,
        criterion_sd=0.6,
        pair_sd=0.7,
        lapse_rate=0.1,
        noise=noise,
    )
    answers = simulate_answers(observers, signal=[-0.5, 0.5], raters=1, studies=60_000, rng=rng())
    for place, signal in enumerate((-0.5, 0.5)):
        rate = expected_off_rate(observers, signal=signal)
        assert answers[:, 0, place].mean() == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / 60_000))


def test_only_lapses_are_a_toss_of_the_coin() -> None:
    always = Observers(d_prime=8, criterion=-4, lapse_rate=1.0)
    assert expected_off_rate(always, signal=0.5) == 0.5
    answers = simulate_answers(always, signal=[0.5], raters=1, studies=20_000, rng=rng())
    assert answers.mean() == pytest.approx(0.5, abs=4 * np.sqrt(0.25 / 20_000))


def test_a_higher_criterion_means_fewer_off_answers() -> None:
    rates = [expected_off_rate(Observers(d_prime=1, criterion=c), signal=0.5) for c in (-1, 0, 1)]
    assert rates == sorted(rates, reverse=True)


def test_the_truth_behind_a_study_has_the_spreads_asked_for() -> None:
    study = simulate_study(
        Observers(d_prime=1.0, criterion=-0.5, d_prime_sd=0.4, criterion_sd=0.8, pair_sd=1.2),
        condition_of_pair=["calm"] * 3000,
        signal=FIVE,
        raters=3000,
        rng=rng(),
    )
    for values, mean, sd in (
        (study.d_prime, 1.0, 0.4),
        (study.criterion, -0.5, 0.8),
        (study.pair_shift, 0.0, 1.2),
    ):
        assert values.shape == (3000,)
        assert values.mean() == pytest.approx(mean, abs=4 * sd / np.sqrt(3000))
        assert values.std() == pytest.approx(sd, rel=0.06)


def test_raters_keep_their_habits_over_pairs_and_pairs_theirs_over_raters() -> None:
    spread = {"raters": Observers(criterion_sd=2.0), "pairs": Observers(pair_sd=2.0)}
    within = {}
    for name, observers in spread.items():
        answers = simulate_answers(observers, signal=[0.0] * 20, raters=20, studies=200, rng=rng())
        within[name] = (answers.mean(axis=2).std(axis=1).mean(), answers.mean(axis=1).std(axis=1).mean())
    assert within["raters"][0] > 2 * within["raters"][1]
    assert within["pairs"][1] > 2 * within["pairs"][0]


def test_studies_have_raters_of_their_own() -> None:
    answers = simulate_answers(Observers(criterion_sd=3.0), signal=[0.0] * 10, raters=1, studies=200, rng=rng())
    assert answers.mean(axis=(1, 2)).std() > 0.3


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"d_prime": float("nan")}, "d_prime is nan"),
        ({"criterion": float("inf")}, "criterion is inf"),
        ({"pair_sd": -0.1}, "pair_sd is -0.1"),
        ({"criterion_sd": float("inf")}, "criterion_sd is inf"),
        ({"lapse_rate": 1.5}, "lapse_rate is 1.5"),
    ],
)
def test_impossible_observers_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Observers(**fields)


def test_a_condition_without_a_signal_is_refused() -> None:
    with pytest.raises(InputError, match="'mild' has no signal"):
        simulate_study(Observers(), condition_of_pair=["mild"], signal=FIVE, raters=2, rng=rng())


def test_nobody_and_nothing_cannot_be_simulated() -> None:
    with pytest.raises(InputError, match="0 raters"):
        simulate_answers(Observers(), signal=[0.0], raters=0, studies=1, rng=rng())


def test_response_times_follow_words_and_reading_speed() -> None:
    readers = Readers(words_per_minute=240, rater_spread=0.2, trial_spread=0.1, decision_ms=2000)
    times = simulate_response_times_ms(readers, words=[400, 600], raters=20_000, rng=rng())
    # the median of a log-normal rater speed leaves the median reading time at words / speed
    assert np.median(times, axis=0) == pytest.approx([102_000, 152_000], rel=0.01)
    assert (times > 0).all()
    slow_on_both = stats.spearmanr(times[:, 0], times[:, 1]).statistic
    assert slow_on_both == pytest.approx(0.8, abs=0.05)


def test_twice_the_speed_is_half_the_reading_time() -> None:
    def median(words_per_minute: float) -> float:
        readers = Readers(words_per_minute=words_per_minute, decision_ms=0)
        return float(np.median(simulate_response_times_ms(readers, words=[500], raters=999, rng=rng())))

    assert median(476) == pytest.approx(median(238) / 2, rel=1e-3)


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"words_per_minute": 0.0}, "speed above 0"), ({"trial_spread": -1.0}, "trial_spread is -1.0")],
)
def test_impossible_readers_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Readers(**fields)
    with pytest.raises(InputError, match="fewer than 0 words"):
        simulate_response_times_ms(Readers(), words=[-1], raters=1, rng=rng())
