"""How many people came how far, and by which rule others were left out."""

from dataclasses import dataclass

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.criteria import ExclusionKind
from limen.core.findings import Analysis
from limen.report.figures.canvas import Box, Point, Sheet, Sketch
from limen.report.figures.palette import FONT_SIZE, INK, LINE, MUTED, RULE, SMALL
from limen.report.figures.plotted import Plotted
from limen.report.phrasing import listed

_WIDTH, _BOX, _PITCH, _LOSS_PITCH = 480.0, 34.0, 58.0, 40.0
_LEFT, _STEP_WIDTH, _LOSS_LEFT = 1.0, 190.0, 214.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A stage, and who left on the way to it."""

    name: str
    count: int | None  # None: not known
    left: tuple["Loss", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """People who did not go on."""

    why: str
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlot:
    """The stages in their order."""

    steps: tuple[Step, ...]


def plot_flow(analysis: Analysis) -> Plotted:
    """Lay out the participant flow."""
    plot = FlowPlot(steps=_steps(analysis))
    heights = [_pitch(step) for step in plot.steps[1:]]
    return Plotted(
        title="Participant flow",
        caption="How many came how far. Whom several rules hit is counted under the first.",
        alternative=_in_words(plot),
        data=plot,
        sketch=Sketch(
            key="participant-flow",
            width=_WIDTH,
            height=_BOX + sum(heights) + 2,
            paint=lambda sheet: _paint(plot, sheet),
        ),
    )


def _steps(analysis: Analysis) -> tuple[Step, ...]:
    n = analysis.n
    incomplete: list[Loss] = []
    others: list[Loss] = []
    for rule in analysis.exclusion_rules:
        loss = Loss(why=rule.declared, count=rule.first_hits if rule.assessed else None)
        (incomplete if rule.rule is ExclusionKind.INCOMPLETE else others).append(loss)
    withdrawn = _known(n.withdrawn)
    deleted = (Loss(why="withdrew, data deleted", count=withdrawn),) if withdrawn else ()
    before = [
        Step(name=name, count=_known(count))
        for name, count in (("Landed", n.landed), ("Consented", n.consented), ("Screened in", n.screened_in))
    ]
    if all(step.count is None for step in before):
        before = [Step(name="Before the first trial", count=None)]
    return (
        *before,
        Step(name="Started", count=n.started, left=deleted),
        Step(name="Completed all trials", count=n.completed, left=tuple(incomplete)),
        Step(name="Analyzed", count=n.analyzed, left=tuple(others)),
    )


def _known(count: int | Undetermined) -> int | None:
    return None if isinstance(count, Undetermined) else count


def _in_words(plot: FlowPlot) -> str:
    known = [f"{step.name.lower()}: {_count(step.count)}" for step in plot.steps]
    losses = [f"{loss.why}: {_count(loss.count)}" for step in plot.steps for loss in step.left]
    text = f"Participant flow from top to bottom. {listed(known)}."
    return text + (f" Left out on the way: {'; '.join(losses)}." if losses else "")


def _count(count: int | None) -> str:
    return "not known" if count is None else notation.count(count)


def _loss_count(count: int | None) -> str:
    return "not assessed" if count is None else notation.count(count)


def _pitch(step: Step) -> float:
    return max(_PITCH, _BOX + 14 + _LOSS_PITCH * len(step.left))


def _paint(plot: FlowPlot, sheet: Sheet) -> None:
    top, spine = 1.0, _LEFT + 24
    boxes: list[Box] = []
    outlines: list[Box] = []
    ways: list[Point | None] = []
    heads: list[Point] = []
    for place, step in enumerate(plot.steps):
        if place:
            below = top + _BOX
            top += _pitch(step)
            ways += [(spine, below), (spine, top - 2), None]
            heads.append((spine, top - 3))
            for number, loss in enumerate(step.left):
                box = (_LOSS_LEFT, below + 8 + _LOSS_PITCH * number, _WIDTH - _LOSS_LEFT - 1, _LOSS_PITCH - 6)
                center = box[1] + box[3] / 2
                ways += [(spine, center), (_LOSS_LEFT - 1, center), None]
                outlines.append(box)
                sheet.text((_LOSS_LEFT + 8, center), loss.why, size=SMALL - 1, color=MUTED, middle=True)
                sheet.text((_WIDTH - 10, center), _loss_count(loss.count), size=SMALL, anchor="right", middle=True)
        boxes.append((_LEFT, top, _STEP_WIDTH, _BOX))
        _write_step(step, top + _BOX / 2, sheet)
    sheet.line(ways, RULE, width=0.9)
    sheet.marks(heads, "v", RULE, size=6)
    sheet.boxes(boxes, edge=RULE)
    sheet.boxes(outlines, edge=LINE)


def _write_step(step: Step, center: float, sheet: Sheet) -> None:
    known = step.count is not None
    color = INK if known else MUTED
    right = _LEFT + _STEP_WIDTH - 10
    sheet.text((_LEFT + 10, center), step.name, color=color, middle=True)
    size = FONT_SIZE if known else SMALL - 1
    sheet.text((right, center), _count(step.count), color=color, size=size, anchor="right", bold=known, middle=True)
