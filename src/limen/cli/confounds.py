"""The confound audit in the terminal: a table a comparison."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from limen.core.analysis.estimates import Estimate, Undetermined
    from limen.core.confounds import Comparison, ConditionSurface, ConfoundAudit, FeatureLevel
    from limen.core.pair import Unmatched


def show_confounds(console: "Console", confounds: "ConfoundAudit") -> None:
    """Print what differs between conditions besides drift, with and without matching where there was any."""
    legend = "means of Response A → B; how far B, and the change from A to B, are apart in standard deviations"
    levels = {one.condition: one for one in confounds.conditions}
    before = {(one.reference, one.other): one for one in confounds.before}
    for comparison in confounds.comparisons:
        reference, other = levels[comparison.reference], levels[comparison.other]
        if reference.pairs and other.pairs:
            console.print()
            earlier = before.get((comparison.reference, comparison.other))
            _table(console, comparison, reference, other, earlier)
            _kinds(console, comparison, reference, other)
            console.print(f"{legend}{'; before: without matching' if earlier else ''}", style="dim", markup=False)


def _table(
    console: "Console",
    comparison: "Comparison",
    reference: "ConditionSurface",
    other: "ConditionSurface",
    before: "Unmatched | None",
) -> None:
    from rich.table import Table

    from limen.core import notation

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("besides drift")
    titles = [reference.condition, other.condition, "SD apart in B", "change"] + (["before"] if before else [])
    for title in titles:
        table.add_column(title, justify="right")
    for row in comparison.features:
        cells = [_level(of.features[row.feature]) for of in (reference, other)]
        cells += [_apart(row.in_b), _value(row.change)]
        if before:
            earlier = before.in_b.get(row.feature)
            cells.append("–" if earlier is None else notation.decimal(earlier))
        table.add_row(row.feature.replace("_", " "), *cells)
    console.print(table)


def _level(found: "FeatureLevel") -> str:
    """Write a mean, or the way from that of Response A to that of Response B."""
    from limen.core import notation

    def short(value: float) -> str:
        return notation.decimal(value, 0 if abs(value) >= 100 else 1)

    return f"{short(found.a.mean)} → {short(found.b.mean)}" if found.a else notation.decimal(found.b.mean)


def _apart(found: "Estimate | Undetermined") -> str:
    from limen.core import notation
    from limen.core.analysis.estimates import Undetermined

    if isinstance(found, Undetermined):
        return "–"
    return f"{notation.decimal(found.value)} {notation.interval(found.interval, 1)}"


def _value(found: "Estimate | Undetermined") -> str:
    from limen.core import notation
    from limen.core.analysis.estimates import Undetermined

    return "–" if isinstance(found, Undetermined) else notation.decimal(found.value)


def _kinds(
    console: "Console", comparison: "Comparison", reference: "ConditionSurface", other: "ConditionSurface"
) -> None:
    from limen.core import notation
    from limen.core.analysis.estimates import Undetermined

    said = []
    for row in comparison.kinds:
        name = row.kind.replace("_", " ")
        found = "–" if isinstance(row.mix, Undetermined) else notation.percent(row.mix.distance)
        p = "" if isinstance(row.mix, Undetermined) else f" ({notation.p_value(row.mix.p)})"
        said.append(f"{name} {found}{p}")
    console.print(f"mixed differently: {', '.join(said)}", markup=False)
    if comparison.topic_words:
        words = ", ".join(f"{w.word} {w.reference_pairs} and {w.other_pairs}" for w in comparison.topic_words)
        console.print(
            f"topic words, pairs in {reference.condition} and {other.condition} that begin with them: {words}",
            markup=False,
        )
