"""Whether a set of pairs may be replaced: people's answers belong to the texts that they were shown."""

from collections.abc import Mapping

from limen.core.sessions import Mode
from limen.errors import NotReadyError
from limen.workflow.ports import Reading

OF_PEOPLE = (Mode.LIVE, Mode.PILOT)
"""Modes whose answers cannot be had again at the push of a button."""


def sessions_shown(reading: Reading, stimulus_digest: str) -> dict[Mode, int]:
    """Count the sessions of each mode that were made with these stimuli; modes without any are left out."""
    found = {mode: reading.stimulus_digests(mode).get(stimulus_digest, 0) for mode in Mode}
    return {mode: count for mode, count in found.items() if count}


def refuse_replacing(shown: Mapping[Mode, int], where: str) -> None:
    """Raise NotReadyError when people have answered the set that is about to be replaced."""
    of_people = {mode: count for mode, count in shown.items() if mode in OF_PEOPLE}
    if not of_people:
        return
    said = f"{where}: {belonging(of_people)} to these pairs and could not be analyzed with others"
    if Mode.LIVE in of_people:
        raise NotReadyError(
            f"{said}; make a new study folder with `limen init`, or give --replace, which keeps a copy of the old pairs"
        )
    raise NotReadyError(
        f"{said}; after a pilot give --replace: it chooses new pairs and keeps the old ones in {where}/before-…"
    )


def belonging(shown: Mapping[Mode, int]) -> str:
    """Say how many sessions of which mode belong, as the beginning of a sentence."""
    total = sum(shown.values())
    counts = " and ".join(f"{n} {mode}" for mode, n in shown.items())
    return f"{counts} session belongs" if total == 1 else f"{counts} sessions belong"
