"""The pairs of a study folder and the decisions about them, as the review reads and writes them."""

from dataclasses import dataclass

from limen.core.review import Review
from limen.study.decisions_file import encode_review
from limen.study.folder import StudyFolder, write_whole
from limen.study.pairs_file import encode_candidates, with_stimuli
from limen.study.review_file import review_text
from limen.workflow.review import ReviewedStudy


@dataclass(frozen=True, slots=True)
class FolderShelf:
    """A study folder as a shelf; it is read anew each time, since `limen pairs` may have been run in between."""

    folder: StudyFolder

    def read(self) -> ReviewedStudy:
        """Give everything as it is now."""
        protocol = self.folder.read_protocol()
        stimuli = self.folder.read_stimuli()
        return ReviewedStudy(
            protocol=protocol,
            stimuli=stimuli,
            review=self.folder.read_review(),
            candidates=self.folder.read_candidates(stimuli),
        )

    def write_review(self, review: Review) -> None:
        """Keep the decisions."""
        write_whole(self.folder.decisions_file, encode_review(review))

    def write_pairs(self, study: ReviewedStudy) -> None:
        """Keep pairs, candidates and decisions; the decision first, so that a change that is cut off is told."""
        folder, stimuli = self.folder, study.stimuli
        pairs = with_stimuli(folder.pairs_file.read_bytes(), stimuli, str(folder.stimuli))
        self.write_review(study.review)
        write_whole(folder.candidates_file, encode_candidates(stimuli, study.candidates))
        write_whole(folder.pairs_file, pairs)
        write_whole(folder.review_file, review_text(stimuli).encode())
