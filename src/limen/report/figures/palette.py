"""The one style of all figures: colors that stay apart for every kind of color vision, marks, sizes.

Colors follow Okabe & Ito (2008), some darkened to stand out from paper. A drawing is made in the light colors; on
the page each of them is a variable, so that the dark page has its own.
"""

from dataclasses import dataclass

from limen.core.findings import Study
from limen.core.protocol import ConditionRole

INK = "#1d1c1a"
MUTED = "#5c5954"
LINE = "#dedad2"
RULE = "#85807a"
SURFACE = "#fffefb"
PALE = "#eceae3"

_BASELINE = "#0072b2"
_TARGET = "#b84e00"
AGREEING = _BASELINE
DIFFERING = _TARGET
_BETWEEN = ("#00845f", "#a94f82", "#8a6d00")

VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    LINE: "--line",
    RULE: "--control",
    SURFACE: "--surface",
    PALE: "--pale",
    _BASELINE: "--baseline",
    _TARGET: "--target",
    _BETWEEN[0]: "--between-1",
    _BETWEEN[1]: "--between-2",
    _BETWEEN[2]: "--between-3",
}
"""The name that each color has in the page's stylesheet."""

FONT_SIZE = 12
SMALL = 11

SETTINGS = {"svg.fonttype": "none", "path.simplify": False}
"""What matplotlib is told before it draws: text stays text, and no point is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a condition is drawn: color and mark, so that neither carries the meaning alone."""

    color: str
    mark: str


def looks(study: Study) -> dict[str, Look]:
    """Give every condition its color and mark, by its role and its place in the study: the same in every figure."""
    given: dict[str, Look] = {}
    between = 0
    for condition in study.conditions:
        if condition.role is ConditionRole.BASELINE:
            given[condition.name] = Look(color=_BASELINE, mark="o")
        elif condition.role is ConditionRole.TARGET:
            given[condition.name] = Look(color=_TARGET, mark="D")
        else:
            given[condition.name] = Look(color=_BETWEEN[between % 3], mark="s^v"[between % 3])
            between += 1
    return given
