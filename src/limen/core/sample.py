"""The answers that one analysis rests on: who and what is counted, and which condition plays which role."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.ratings import Contrast, Ratings
from limen.core.analysis.trials import NOT_KNOWN, TrialTable
from limen.core.judgment import Response
from limen.core.outcome import Tally
from limen.core.protocol import Condition, ConditionRole, Protocol

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """The kept participants' answers to pairs.

    Counts, binomial, chi-square, models, AC1 and α use every answer there is (`ratings`); Fleiss' κ and the crossed
    tests use the raters who answered all pairs (`complete`).
    """

    table: TrialTable
    kept: Flags
    pairs: NDArray[np.int64]  # places in the table's stimuli
    ratings: Ratings
    complete: Ratings
    target: Condition
    baseline: Condition

    @property
    def contrast(self) -> Contrast:
        """Set target against baseline, every answer."""
        return self.ratings.contrast(target=self.target.name, baseline=self.baseline.name)

    @property
    def complete_contrast(self) -> Contrast:
        """Set target against baseline, raters who answered all pairs."""
        return self.complete.contrast(target=self.target.name, baseline=self.baseline.name)

    def tally(self, condition: Condition) -> Tally:
        """Count the answers to the pairs of a condition."""
        part = self.ratings.of_condition(condition.name)
        wants_off = condition.expected is Response.SOMETHINGS_OFF
        return Tally(n=part.n, off=part.n_off, right=part.n_off if wants_off else part.n - part.n_off)


def take_sample(table: TrialTable, protocol: Protocol, kept: Flags, pairs: NDArray[np.int64] | None = None) -> Sample:
    """Take the kept participants' answers to all pairs, or to those at the given places.

    Whoever answered no pair at all is no rater, even where the rule on missing answers is switched off. A pair that
    only participants who are left out have seen is none of theirs.
    """
    places = table.pair_places if pairs is None else pairs
    of_pairs = np.isin(table.stimulus, places)
    kept = kept & (np.bincount(table.participant[of_pairs], minlength=kept.size) > 0)
    if np.any(kept & _finished(table)):  # where nobody finished, a pair without answers may be one they did not reach
        seen = np.bincount(table.stimulus[kept[table.participant]], minlength=len(table.stimuli)) > 0
        places = places[seen[places]]
    ratings = table.ratings(kept, places)
    return Sample(
        table=table,
        kept=kept,
        pairs=places,
        ratings=ratings,
        complete=ratings.of_complete_raters() if ratings.missing else ratings,
        target=protocol.with_role(ConditionRole.TARGET)[0],
        baseline=protocol.with_role(ConditionRole.BASELINE)[0],
    )


def _finished(table: TrialTable) -> Flags:
    """Mark who answered as many trials as were planned, or of whom the table does not say how many that were."""
    planned = table.participants.trials_planned
    answered = np.bincount(table.participant, minlength=planned.size)
    return np.asarray((planned == NOT_KNOWN) | (answered >= planned), dtype=np.bool_)
