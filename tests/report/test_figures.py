"""The figures: what is plotted, what is said of it, and that nothing is claimed where nothing was shown."""

import re
from dataclasses import asdict, replace
from typing import Any

import pytest

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.findings import Analysis
from limen.core.protocol import ConditionRole
from limen.report.figures.canvas import draw
from limen.report.figures.gallery import plot_all
from limen.report.figures.palette import VARIABLES, looks
from limen.report.figures.plotted import LeftOut, Plotted
from simulated_studies import Plan, an_analysis, everything_undetermined

KEYS = [
    "participant-flow",
    "detection-rate",
    "roc-space",
    "drift",
    "pairs",
    "answers",
    "response-times",
    "specification",
]


def _plotted(key: str, analysis: Analysis | None = None) -> Plotted:
    plot = plot_all(analysis or an_analysis())[key]
    assert isinstance(plot, Plotted)
    return plot


def _data(key: str, analysis: Analysis | None = None) -> dict[str, Any]:
    data: Any = _plotted(key, analysis).data
    return asdict(data)


def _crowd(analysis: Analysis, times: int) -> Analysis:
    rows = (row for _ in range(times) for row in analysis.raters)
    return replace(analysis, raters=tuple(replace(row, participant=f"P{n:05d}") for n, row in enumerate(rows)))


def test_all_figures_are_there_with_title_caption_and_words() -> None:
    plots = plot_all(an_analysis())
    assert list(plots) == KEYS
    for plot in plots.values():
        assert isinstance(plot, Plotted)
        assert all((plot.title, plot.caption, plot.alternative))


def test_a_table_alone_leaves_out_what_it_cannot_show_and_says_why() -> None:
    plots = plot_all(an_analysis(Plan(table_only=True)))
    left_out = {key: plot.reason for key, plot in plots.items() if isinstance(plot, LeftOut)}
    assert left_out == {
        "drift": "the drift of the pairs is not known",
        "response-times": "the table has no response times",
    }


def test_the_words_hold_the_values() -> None:
    analysis = an_analysis()
    words = {key: _plotted(key).alternative for key in KEYS}
    for count in (analysis.n.landed, analysis.n.started, analysis.n.completed, analysis.n.analyzed):
        assert f": {notation.count(count)}" in words["participant-flow"]
    for rule in analysis.exclusion_rules:
        assert f"{rule.declared}: {rule.first_hits}" in words["participant-flow"]
    for rates in analysis.companions.rates.values():
        assert notation.percent_estimate(rates.off_rate) in words["detection-rate"]
    assert isinstance(analysis.companions.sdt.pooled.d_prime, Estimate)
    assert notation.decimal(analysis.companions.sdt.pooled.d_prime.value) in words["roc-space"]
    for pair in analysis.pairs:
        assert f"{pair.pair_id}, drift {notation.decimal(pair.drift_b or 0)}: " in words["pairs"]
        assert notation.percent_of(pair.off, pair.n) in words["pairs"]
    for counts in analysis.as_specified.conditions.values():
        assert notation.percent_of(counts.off, counts.n) in words["answers"]
    assert not isinstance(analysis.response_times, Undetermined)
    for row in analysis.response_times:
        assert notation.duration(row.median) in words["response-times"]
    for way in analysis.specification:
        assert not isinstance(way.result, Undetermined)
        assert not isinstance(way.result.difference, Undetermined)
        assert way.name in words["specification"]
        assert notation.points(way.result.difference.value) in words["specification"]


def test_the_stretch_between_the_conditions_is_open_and_nothing_is_drawn_in_it() -> None:
    data = _data("drift")
    assert data["unsampled"] == ((0.30, 1.00),)
    assert all(not 0.30 < mark["drift"] < 1.00 for mark in data["marks"])
    assert {(part["start"] >= 1.00) or (part["end"] <= 0.30) for part in data["stretches"]} == {True}
    assert "Between 0.30 and 1.00 no pair was shown" in _plotted("drift").alternative


def test_conditions_that_touch_leave_nothing_open() -> None:
    assert _data("drift", an_analysis(Plan(conditions=5)))["unsampled"] == ()


def test_a_condition_without_pairs_samples_nothing() -> None:
    analysis = an_analysis(Plan(conditions=5))
    empty = tuple(
        replace(condition, pairs=0) if condition.name == "ZONE_2" else condition
        for condition in analysis.study.conditions
    )
    pairs = tuple(pair for pair in analysis.pairs if pair.condition != "zone_2")
    without = replace(analysis, study=replace(analysis.study, conditions=empty), pairs=pairs)
    assert _data("drift", without)["unsampled"] == ((0.53, 0.77),)


def test_pairs_stand_in_the_order_of_drift() -> None:
    drifts = [mark["drift"] for mark in _data("pairs")["marks"]]
    assert drifts == sorted(drifts)


def test_pairs_without_drift_stand_by_condition_and_the_caption_says_so() -> None:
    plot = _plotted("pairs", an_analysis(Plan(table_only=True)))
    assert "their drift is not known" in plot.caption
    marks = asdict(plot.data)["marks"]  # type: ignore[call-overload]
    assert [mark["condition"] for mark in marks] == ["baseline"] * 10 + ["catastrophic"] * 10


def test_the_answers_are_those_of_the_raters_in_the_order_of_their_sensitivity() -> None:
    analysis, data = an_analysis(), _data("answers")
    by_name = {row.participant: row for row in analysis.raters}
    order = [[pair.pair_id for pair in analysis.pairs].index(name) for name in data["pairs"]]
    for band in data["bands"]:
        letters = by_name[band["name"]].answers
        assert band["off"] == tuple({"O": 1.0, "N": 0.0, "-": None}[letters[place]] for place in order)
    sensitivities = [by_name[band["name"]].d_prime for band in data["bands"]]
    assert sensitivities == sorted(sensitivities, reverse=True)  # type: ignore[type-var]


@pytest.mark.parametrize("times", [4, 9, 100])
def test_many_raters_share_dots_and_rows_and_none_is_lost(times: int) -> None:
    crowd = _crowd(an_analysis(), times)
    people = len(crowd.raters)
    for group in _data("detection-rate", crowd)["groups"]:
        assert sum(dot["raters"] for dot in group["dots"]) == people
        assert len(group["dots"]) <= 80
    assert sum(spot["raters"] for spot in _data("roc-space", crowd)["spots"]) == people
    bands = _data("answers", crowd)["bands"]
    assert sum(band["raters"] for band in bands) == people
    assert len(bands) <= 50


def test_jitter_comes_from_the_study_seed() -> None:
    analysis = an_analysis()
    study = replace(analysis.protocol.study, seed=analysis.protocol.study.seed + 1)
    other = replace(analysis, protocol=replace(analysis.protocol, study=study))
    assert _plotted("detection-rate").digest() == _plotted("detection-rate").digest()
    assert _plotted("detection-rate").digest() != _plotted("detection-rate", other).digest()


@pytest.mark.parametrize("key", KEYS)
def test_the_digest_tells_other_data_apart(key: str) -> None:
    if key == "participant-flow":
        other = replace(an_analysis(), n=replace(an_analysis().n, started=99))
    else:
        other = an_analysis(Plan(conditions=5))
    assert _plotted(key).digest() != _plotted(key, other).digest()


@pytest.mark.parametrize(
    "analysis",
    [
        lambda: an_analysis(Plan(conditions=5)),
        lambda: an_analysis(Plan(raters=1, bad=False)),
        lambda: an_analysis(Plan(table_only=True)),
        lambda: everything_undetermined(an_analysis()),
        lambda: replace(an_analysis(), exclusions=(), exclusion_rules=()),
    ],
    ids=["five conditions", "one rater", "table alone", "undetermined", "no rules"],
)
def test_every_figure_can_be_drawn(analysis: Any) -> None:
    plots = [plot for plot in plot_all(analysis()).values() if isinstance(plot, Plotted)]
    for key, drawing in draw([plot.sketch for plot in plots]).items():
        assert drawing.body.startswith("<"), key
        assert "nan" not in drawing.body


def test_on_the_page_every_color_is_a_variable() -> None:
    plots = [plot for plot in plot_all(an_analysis(Plan(conditions=5))).values() if isinstance(plot, Plotted)]
    for drawing in draw([plot.sketch for plot in plots]).values():
        assert "#" not in drawing.inline("words").replace("url(#", "").replace('href="#', "")


def test_drawing_leaves_the_settings_of_matplotlib_as_they_were() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    draw([_plotted("participant-flow").sketch])
    assert dict(mpl.rcParams) == before


def test_names_without_room_are_cut_in_the_drawing_and_whole_in_the_words() -> None:
    analysis = an_analysis()
    name = "a-pair-id-that-somebody-else-made-up"
    long = replace(analysis, pairs=(replace(analysis.pairs[0], pair_id=name), *analysis.pairs[1:]))
    plots = [plot for key, plot in plot_all(long).items() if key in ("pairs", "answers") and isinstance(plot, Plotted)]
    for drawing in draw([plot.sketch for plot in plots]).values():
        assert name not in drawing.body
        assert f"{name[:8]}" in drawing.body
    assert name in _plotted("pairs", long).alternative


def _with_late_control() -> Analysis:
    """Add a control with the drift of the baseline, and turn the order of the conditions round."""
    analysis = an_analysis(Plan(conditions=3))
    low, middle, high = analysis.study.conditions
    late = replace(low, name="LATE", role=ConditionRole.CONTROL)
    added = tuple(replace(pair, condition="late", pair_id=f"L{k}") for k, pair in enumerate(analysis.pairs[:3]))
    found, beside = analysis.as_specified, analysis.companions
    key = low.name.lower()
    return replace(
        analysis,
        study=replace(analysis.study, conditions=(high, middle, low, late)),
        pairs=(*analysis.pairs, *added),
        raters=tuple(
            replace(row, answers=row.answers + "NON", off={**row.off, "late": 1}, n={**row.n, "late": 3})
            for row in analysis.raters
        ),
        as_specified=replace(found, conditions={**found.conditions, "late": found.conditions[key]}),
        companions=replace(beside, rates={**beside.rates, "late": beside.rates[key]}),
    )


def test_a_condition_looks_the_same_in_every_figure() -> None:
    analysis = _with_late_control()
    look = looks(analysis.study)
    assert len({(each.color, each.mark) for each in look.values()}) == 4
    drawings = draw([_plotted(key, analysis).sketch for key in ("drift", "detection-rate", "answers")])
    for name in ("LATE", "ZONE_1"):
        variable = VARIABLES[look[name].color]
        for key, drawing in drawings.items():
            said = re.search(rf"<text[^>]*>{name}</text>", drawing.inline(""))
            assert said, (key, name)
            assert variable in said[0], (key, name, said[0])


def test_labels_of_stretches_that_overlap_do_not_overprint() -> None:
    plot = _plotted("drift", _with_late_control())
    drawn = draw([plot.sketch])["drift"].inline("")
    places = {name: re.search(rf'y="([\d.]+)"[^>]*>{name}</text>', drawn) for name in ("BASELINE", "LATE")}
    found = {name: each and each[1] for name, each in places.items()}
    assert None not in found.values(), drawn[:2000]
    assert len(set(found.values())) == 2
    assert plot.sketch.height > _plotted("drift").sketch.height


def test_the_caption_says_that_answers_stand_by_condition() -> None:
    assert "Pairs stand by condition, within it in the order of drift." in _plotted("answers").caption
    unknown = _plotted("answers", an_analysis(Plan(table_only=True))).caption
    assert unknown.endswith("Pairs stand by condition.")
