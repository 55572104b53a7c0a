"""One simulated rater over HTTP: does what the page does, and knows the truth from the study folder alone."""

from collections.abc import Mapping
from dataclasses import dataclass

from limen.core.blinding import BlindedStudy, ShownTexts
from limen.core.simulated_rater import SimulatedRater
from limen.core.simulated_visit import Asks, Step, steps_of
from limen.errors import DataError
from limen.raters.line import Line
from limen.raters.messages import consent_version_of, put_of, texts_of

NO_ENTRY = (
    "does not let simulated raters in; it serves another study folder, or with another researcher.key than the folder's"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What raters know from the study folder: which stimulus has which texts, and who qualifies."""

    study: BlindedStudy
    stimulus_by_texts: Mapping[ShownTexts, str]
    qualifying: Mapping[str, str]

    def stimulus(self, texts: ShownTexts) -> str:
        """Tell which stimulus is shown; raise DataError when it is none of the folder's."""
        try:
            return self.stimulus_by_texts[texts]
        except KeyError:
            raise DataError(
                "the server shows texts that are not in this study folder; restart the server if the pairs were made "
                "anew since it began, or name the folder that it serves"
            ) from None


@dataclass(slots=True)
class Participant:
    """A rater with a line to the server, and a session once it was admitted."""

    rater: SimulatedRater
    knowledge: Knowledge
    line: Line
    tab: str
    token: str = ""

    async def arrive(self, request: str) -> None:
        """Open the page, agree, qualify and be admitted. Sending the same `request` again begins no second session."""
        page = (await self.line.ask("GET", "/simulated", meaning={404: NO_ENTRY})).text
        await self._count("landed")
        await self._count("consented")
        application = {
            "consent_version": consent_version_of(page),
            "screening": dict(self.knowledge.qualifying),
            "tab": self.tab,
            "request": request,
        }
        created = (await self.line.ask("POST", "/api/sessions", application)).json()
        if "token" not in created:
            raise DataError("the server did not admit a simulated rater; name the folder that it serves")
        self.token = str(created["token"])

    async def take_part(self) -> None:
        """Go from the instructions to the thanks, and close the page."""
        shown: dict[int, ShownTexts] = {}
        steps = steps_of(self.rater, self.knowledge.study)
        step: Step | None = next(steps)
        while step is not None:
            if isinstance(step, Asks):
                await self._stock(shown, step.number)
                step = steps.send(self.knowledge.stimulus(shown.pop(step.number)))
            else:
                path, body = put_of(step)
                await self.line.ask("PUT", f"{self._session}/{path}", {**body, "tab": self.tab})
                step = next(steps, None)
        await self.line.ask("POST", f"{self._session}/release?tab={self.tab}")

    @property
    def _session(self) -> str:
        return f"/api/sessions/{self.token}"

    async def _count(self, what: str) -> None:
        await self.line.ask("POST", "/api/counts", {"what": what})

    async def _stock(self, shown: dict[int, ShownTexts], number: int) -> None:
        """Fetch this trial and those that may be sent ahead, each once, as the page does."""
        study = self.knowledge.study
        for ahead in range(number, min(study.trial_count, number + max(1, study.prefetch) - 1) + 1):
            if ahead not in shown:
                trial = await self.line.ask("GET", f"{self._session}/trials/{ahead}")
                shown[ahead] = texts_of(trial.json())
