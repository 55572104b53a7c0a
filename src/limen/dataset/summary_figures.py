"""What the figures show, as rows of summary_stats.csv: raters, pairs, times, positions, checks, the debrief."""

from collections.abc import Iterator

from limen.core.analysis.estimates import Interval, Undetermined
from limen.core.findings import Analysis
from limen.dataset.summary_row import SummaryRow, estimate_row, share_of

MOST_RATERS_ONE_BY_ONE = 200
"""Above this many raters their single answers stand in raw_responses.csv only; no figure shows them."""


def figure_rows(analysis: Analysis) -> Iterator[SummaryRow]:
    """Give the data of every figure."""
    yield from _raters(analysis)
    yield from _pairs(analysis)
    yield from _times(analysis)
    yield from _course(analysis)


def _raters(analysis: Analysis) -> Iterator[SummaryRow]:
    one_by_one = len(analysis.raters) <= MOST_RATERS_ONE_BY_ONE
    for rater in analysis.raters:
        for condition, off in rater.off.items():
            n = rater.n[condition]
            share = share_of(off, n)
            yield SummaryRow(measure="rater_off_rate", scope=f"{rater.participant}/{condition}", value=share, n=n)
        for name, value in (
            ("d_prime", rater.d_prime),
            ("c", rater.c),
            ("d_prime_shrunken", rater.d_prime_shrunken),
            ("c_shrunken", rater.c_shrunken),
            ("median_response_time_ms", rater.median_response_time_ms),
            ("median_words_per_minute", rater.median_words_per_minute),
            ("main_task_minutes", rater.main_task_minutes),
        ):
            yield SummaryRow(measure=f"rater_{name}", scope=rater.participant, value=value)
        if one_by_one:
            for pair, letter in zip(analysis.pairs, rater.answers, strict=True):
                if letter != "-":
                    scope = f"{rater.participant}/{pair.pair_id}"
                    yield SummaryRow(measure="answer_off", scope=scope, value=int(letter == "O"))


def _pairs(analysis: Analysis) -> Iterator[SummaryRow]:
    for pair in analysis.pairs:
        yield estimate_row("pair_off_rate", pair.pair_id, pair.off_rate)
        yield estimate_row("pair_off_rate_shrunken", pair.pair_id, pair.off_rate_shrunken)
        for name, value in (("drift_a", pair.drift_a), ("drift_b", pair.drift_b), ("words", pair.words)):
            if value is not None:
                yield SummaryRow(measure=f"pair_{name}", scope=pair.pair_id, value=value)
        yield SummaryRow(measure="pair_median_response_time_ms", scope=pair.pair_id, value=pair.median_response_time_ms)
    for row in () if isinstance(analysis.providers, Undetermined) else analysis.providers:
        yield estimate_row("provider_off_rate", f"{row.provider}/{row.condition}", row.off_rate)


def _times(analysis: Analysis) -> Iterator[SummaryRow]:
    for row in () if isinstance(analysis.response_times, Undetermined) else analysis.response_times:
        kind = {None: "all", True: "right", False: "wrong"}[row.correct]
        scope = f"{row.condition}/{kind}"
        yield SummaryRow(measure="response_time_mean_ms", scope=scope, value=row.mean, n=row.n)
        for place, quantile in enumerate(row.quantiles):
            yield SummaryRow(
                measure="response_time_quantile_ms", scope=f"{scope}/{5 * place} %", value=quantile, n=row.n
            )
        for place, count in enumerate(row.bin_counts):
            bounds = Interval(low=row.bin_edges_ms[place], high=row.bin_edges_ms[place + 1])
            yield SummaryRow(
                measure="response_time_bin", scope=f"{scope}/{place + 1}", value=count, interval=bounds, n=row.n
            )
    speed = analysis.reading_speed
    for each in () if isinstance(speed, Undetermined) else speed.conditions:
        for name, value in (
            ("median", each.median),
            ("lower_quartile", each.lower_quartile),
            ("upper_quartile", each.upper_quartile),
        ):
            yield SummaryRow(measure=f"words_per_minute_{name}", scope=each.condition, value=value, n=each.n)


def _course(analysis: Analysis) -> Iterator[SummaryRow]:
    for row in analysis.positions:
        yield estimate_row("position_off_rate", f"trial {row.trial_number}/{row.condition}", row.off_rate)
    for left in analysis.departures:
        yield SummaryRow(measure="left_after", scope=f"{left.answered} trials", value=left.people)
    for check in analysis.attention:
        for name, count in (("passed", check.passed), ("failed", check.failed)):
            yield SummaryRow(measure=f"attention_{name}", scope=check.check_id, value=count, n=check.answered)
    debrief = analysis.debrief
    if isinstance(debrief, Undetermined):
        return
    for question, answered, choices in (
        ("strategy", debrief.strategy_answered, debrief.strategy),
        ("age", debrief.age_answered, debrief.age),
        ("use", debrief.use_answered, debrief.use),
    ):
        for choice in choices:
            yield SummaryRow(measure=f"debrief_{question}", scope=choice.option, value=choice.chosen, n=answered)
