"""What the routes work with, and how they reach the store without holding up anyone else."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from limen.web.acknowledgements import Acknowledgements
from limen.web.limits import Limits
from limen.web.readers import Readers
from limen.workflow.ports import Clock, Reading, Secrets, Store, Writing
from limen.workflow.served import ServedStudy

if TYPE_CHECKING:
    from limen.web.metrics import Metrics  # which counts by the routes, which come from here

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A study with everything it needs from outside."""

    study: ServedStudy
    store: Store
    clock: Clock
    secrets: Secrets
    researcher_secret: str
    trial_overhead: int  # what every trial's message has besides its texts, in bytes
    limits: Limits
    metrics: "Metrics"
    acknowledgements: Acknowledgements
    readers: Readers

    def is_secret(self, given: str) -> bool:
        """Tell whether this is the researcher's secret, in a time that tells nothing about it."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.researcher_secret.encode())

    async def write(self, work: Callable[[Writing], T], key: str = "") -> T:
        """Have something written; come back when it is on disk, or raise StoreUnavailableError."""
        return await self.acknowledgements.of(work, key)

    async def read(self, ask: Callable[[Reading], T]) -> T:
        """Ask the store on a connection of its own; raise StoreUnavailableError when it does not answer."""
        return await self.readers.of(ask)
