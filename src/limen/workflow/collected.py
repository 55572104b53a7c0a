"""What an analysis starts from, whether it comes from the store or from a file."""

from dataclasses import dataclass, field
from typing import Self

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.trials import TrialTable
from limen.core.audit import deviations
from limen.core.debrief import DebriefRecord
from limen.core.findings import DataProblem
from limen.core.protocol import Protocol
from limen.core.stimuli import StimulusSet

NOT_IN_A_TABLE = Undetermined(reason="a table of answers does not say")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """How many people came how far before the first trial, and how many had their data deleted."""

    landed: int | Undetermined = NOT_IN_A_TABLE
    consented: int | Undetermined = NOT_IN_A_TABLE
    screened_in: int | Undetermined = NOT_IN_A_TABLE
    withdrawn: int | Undetermined = NOT_IN_A_TABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What is known of the stimuli besides what stands in the table."""

    metric: str | None = None
    standing: str | None = None
    digest: str | None = None
    deviations: tuple[str, ...] | Undetermined = NOT_IN_A_TABLE
    stimuli: StimulusSet | None = None

    @classmethod
    def of(cls, protocol: Protocol, stimuli: StimulusSet) -> Self:
        """Tell what a study folder knows."""
        return cls(
            metric=stimuli.metric,
            standing=stimuli.standing,
            digest=stimuli.digest(),
            deviations=deviations(protocol, stimuli),
            stimuli=stimuli,
        )


NOTHING_KNOWN = Material()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collected:
    """All answers of one mode, with what is known about them. `debrief` is None where the source has none."""

    table: TrialTable
    source: str
    arrivals: Arrivals = field(default_factory=Arrivals)
    debrief: tuple[DebriefRecord, ...] | None = None
    material: Material = field(default_factory=Material)
    problems: tuple[DataProblem, ...] = ()
