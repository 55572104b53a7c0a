"""How often an address may do what a machine could do too often: begin sessions, or guess secrets.

An address is kept in memory while its allowance fills up again, a minute at most, and nowhere else. Behind another
server all participants have that server's address and share one allowance, so only what is wrong is counted and
refused: who brings the right secret is let in, however often others guessed. Each process counts by itself.
"""

import ipaddress
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil

from starlette.requests import Request

from limen.web.problems import ProblemError

SESSIONS_PER_MINUTE = 600
COUNTS_A_SESSION = 4  # who lands, consents, or does neither, for everyone who begins
WRONG_GUESSES_PER_MINUTE = 30
_ADDRESSES = 20_000
_MINUTE_S = 60.0


class Allowance:
    """So many in a minute for each address, all at once or spread; 0 sets no bound."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = per_minute
        self._clock = clock
        self._full_again: dict[str, float] = {}  # when an address has its whole allowance back

    def check(self, request: Request) -> None:
        """Raise ProblemError (429) for an address that has used its allowance up."""
        wait_s = self._wait_s(_address(request))
        if wait_s > 0:
            detail = "That was too often. Please wait a moment and try again."
            raise ProblemError(429, "too-often", detail, {"Retry-After": str(ceil(wait_s))})

    def use(self, request: Request) -> None:
        """Take one off the allowance of an address."""
        if not self._most:
            return
        now, address = self._clock(), _address(request)
        full_again = max(self._full_again.pop(address, now), now) + _MINUTE_S / self._most
        self._full_again[address] = full_again  # put last: the first ones are those not heard of for longest
        while len(self._full_again) > _ADDRESSES or next(iter(self._full_again.values())) <= now:
            del self._full_again[next(iter(self._full_again))]

    def spend(self, request: Request) -> None:
        """Take one off the allowance of an address; raise ProblemError (429) when it is used up."""
        self.check(request)
        self.use(request)

    def _wait_s(self, address: str) -> float:
        full_again = self._full_again.get(address)
        if full_again is None or not self._most:
            return 0.0
        return full_again - self._clock() - _MINUTE_S * (self._most - 1) / self._most


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is limited."""

    sessions: Allowance = field(default_factory=lambda: Allowance(SESSIONS_PER_MINUTE))
    counts: Allowance = field(default_factory=lambda: Allowance(COUNTS_A_SESSION * SESSIONS_PER_MINUTE))
    guesses: Allowance = field(default_factory=lambda: Allowance(WRONG_GUESSES_PER_MINUTE))


def _address(request: Request) -> str:
    """Give whom a request comes from; one household's or firm's IPv6 network counts as one."""
    given = request.client.host if request.client else ""
    try:
        parsed = ipaddress.ip_address(given)
    except ValueError:
        return given
    if parsed.version == 4:
        return given
    if parsed.ipv4_mapped is not None:  # as a socket that listens for both gives it
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False).network_address)
