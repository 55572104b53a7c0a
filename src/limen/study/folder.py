"""A study folder and the files in it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from limen.core.pair import Pair
from limen.core.protocol import Protocol
from limen.core.stimuli import StimulusSet
from limen.errors import NotReadyError, StudyFolderError
from limen.study.pairs_file import PairsMetadata, decode_candidates, decode_metadata, decode_stimuli
from limen.study.protocol_file import read_protocol

if TYPE_CHECKING:
    from limen.core.review import Review


@dataclass(frozen=True, slots=True)
class StudyFolder:
    """Where the files of a study are. Knows their places and nothing about what is in them."""

    path: Path

    @property
    def protocol_file(self) -> Path:
        """study.toml."""
        return self.path / "study.toml"

    @property
    def schema_file(self) -> Path:
        """The JSON Schema that study.toml names in its first line, for editors."""
        return self.path / "study.schema.json"

    @property
    def logs(self) -> Path:
        """Where a researcher may keep the logs of the study."""
        return self.path / "logs"

    @property
    def lexicons(self) -> Path:
        """The study's own lexicons."""
        return self.path / "lexicons"

    @property
    def stimuli(self) -> Path:
        """The folder of the finished material."""
        return self.path / "stimuli"

    @property
    def pairs_file(self) -> Path:
        """extreme_pairs.json."""
        return self.stimuli / "extreme_pairs.json"

    @property
    def review_file(self) -> Path:
        """extreme_pairs.md."""
        return self.stimuli / "extreme_pairs.md"

    @property
    def checks_file(self) -> Path:
        """attention_checks.json."""
        return self.stimuli / "attention_checks.json"

    @property
    def candidates_file(self) -> Path:
        """candidates.json."""
        return self.stimuli / "candidates.json"

    @property
    def decisions_file(self) -> Path:
        """review.json: what the researcher decided about the pairs."""
        return self.stimuli / "review.json"

    @property
    def answers_file(self) -> Path:
        """The database, where answers are not kept in PostgreSQL."""
        return self.path / "answers.sqlite"

    @property
    def researcher_key_file(self) -> Path:
        """The secret of the researcher's link."""
        return self.path / "researcher.key"

    @property
    def address_file(self) -> Path:
        """Where the study is being served, while a server of this machine serves it."""
        return self.path / "server.address"

    @property
    def static_key_file(self) -> Path:
        """key.json: what the plans of static pages stand for."""
        return self.path / "key.json"

    @property
    def invitations_file(self) -> Path:
        """invitations.csv: one code a plan of a static page."""
        return self.path / "invitations.csv"

    @property
    def backups(self) -> Path:
        """Where copies of the answers go."""
        return self.path / "backups"

    def read_protocol(self) -> Protocol:
        """Read study.toml, or say that this is no study folder."""
        if self.path.is_file():
            raise StudyFolderError(f"{self.path}: is a file, not a study folder; name the folder")
        if not self.path.is_dir():
            raise StudyFolderError(f"{self.path}: no such folder; `limen init {self.path}` makes a study there")
        return read_protocol(self.protocol_file)

    def read_stimuli(self) -> StimulusSet:
        """Read the finished material."""
        return decode_stimuli(self._read(self.pairs_file), self._read(self.checks_file), str(self.stimuli))

    def read_review(self) -> "Review":
        """Read what was decided about the pairs; nothing where nobody has looked at them."""
        from limen.core.review import Review  # noqa: PLC0415 - a server of pairs that nobody decided on goes without
        from limen.study.decisions_file import decode_review  # noqa: PLC0415

        if not self.decisions_file.exists():
            return Review()
        return decode_review(self._read(self.decisions_file), str(self.decisions_file))

    def read_candidates(self, stimuli: StimulusSet) -> tuple[Pair, ...]:
        """Read what can take a slot of the set; nothing where it was not kept."""
        if not self.candidates_file.exists():
            return ()
        return decode_candidates(self._read(self.candidates_file), stimuli, str(self.stimuli))

    def read_metadata(self) -> PairsMetadata:
        """Read how the pairs came about."""
        return decode_metadata(self._read(self.pairs_file), str(self.stimuli))

    def keep_stimuli(self, digest: str) -> Path:
        """Copy the finished material into a folder beside it that is named by its digest; give the folder."""
        kept = self.stimuli / f"before-{digest[:8]}"
        for file in sorted(self.stimuli.iterdir()):
            if file.is_file() and not file.name.startswith("."):
                write_whole(kept / file.name, self._read(file))
        return kept

    def _read(self, path: Path) -> bytes:
        try:
            return path.read_bytes()
        except FileNotFoundError as problem:
            raise NotReadyError(f"{path}: no such file; `limen pairs LOG… --study {self.path}` makes it") from problem
        except OSError as problem:
            raise StudyFolderError(f"{path}: cannot be read ({problem.strerror}); check its rights") from problem


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all, even if the machine stops in between."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as problem:
        raise StudyFolderError(f"{path}: cannot be written ({problem.strerror}); check rights and space") from problem
