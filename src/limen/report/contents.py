"""The report's table of contents: from an Analysis to the document."""

from limen.core.findings import Analysis
from limen.report.document import Document
from limen.report.sections.agreement import agreement
from limen.report.sections.answers import pairs, raters
from limen.report.sections.confounds import confounds
from limen.report.sections.course import attention, course, times
from limen.report.sections.debrief import debrief, providers
from limen.report.sections.detection import detection
from limen.report.sections.difference import difference
from limen.report.sections.front import make_front
from limen.report.sections.hypotheses import hypotheses
from limen.report.sections.made import made, settings, words
from limen.report.sections.outcome import outcome
from limen.report.sections.people import people
from limen.report.sections.specification import specification


def compose(analysis: Analysis) -> Document:
    """Write the report, as one value for every form it takes."""
    sections = (
        detection,
        difference,
        confounds,
        agreement,
        hypotheses,
        outcome,
        people,
        specification,
        pairs,
        raters,
        times,
        attention,
        course,
        debrief,
        providers,
        settings,
        words,
    )
    return Document(
        title=f"{analysis.study.protocol}: {analysis.study.title}",
        front=make_front(analysis),
        sections=tuple(section(analysis) for section in sections),
        made=made(analysis),
    )
