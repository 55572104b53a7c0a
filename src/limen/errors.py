"""Everything Limen raises on purpose.

    LimenError                    (exit code 1)
    ├── InputError                bad input: a file, a value, an option      (exit code 2)
    │   ├── ProtocolError         a study.toml that says something impossible
    │   ├── LogError              a log of which nothing could be read
    │   ├── MetricError           a metric that is unknown, mixed, out of reach, or whose backend cannot be used
    │   ├── StudyFolderError      a study folder that is missing or taken, or a file in it that cannot be read
    │   ├── DataError             answers or stimuli that do not belong together
    │   └── StoreError            a database that cannot be opened, or is not one of ours
    │       └── StoreDamagedError     a database that is damaged; it is a StoreUnavailableError too
    └── NotReadyError             something is not there yet: no pairs, slots empty, no answers       (exit code 3)
        └── StoreUnavailableError     the store cannot take or give anything just now
            ├── StoreBusyError        too much is waiting to be written
            └── StoreReplacedError    another file has taken the database's place while it was open

What can happen in a study is a value (an Exclusion, a LogProblem, an Undetermined, an unfilled slot).
Exceptions are for misuse and for a broken outside. A message names the thing, what was expected and
what to do next, in one line.
"""


class LimenError(Exception):
    """The root of the tree; carries the exit code that the command line answers with."""

    exit_code = 1


class InputError(LimenError):
    """Raised when something handed to Limen cannot be used as it is."""

    exit_code = 2


class ProtocolError(InputError):
    """Raised when a protocol or a study.toml says something impossible."""


class LogError(InputError):
    """Raised when nothing could be read from a log."""


class MetricError(InputError):
    """Raised when a drift metric is unknown, mixed, cannot reach a condition, or its backend cannot be used."""


class StudyFolderError(InputError):
    """Raised when a study folder is missing or already taken, or a file in it cannot be read or written."""


class DataError(InputError):
    """Raised when answers or stimuli do not belong to the study they are used with."""


class StoreError(InputError):
    """Raised when the store cannot be opened: no database, a damaged or a newer one, or another server has it."""


class NotReadyError(LimenError):
    """Raised when a study lacks what the next step needs, though nothing handed in was wrong."""

    exit_code = 3


class StoreUnavailableError(NotReadyError):
    """Raised when the store cannot be written or read just now; trying again later may work."""


class StoreDamagedError(StoreError, StoreUnavailableError):
    """Raised when the database is damaged: a command cannot use it, and a server has to wait until it is restored."""


class StoreBusyError(StoreUnavailableError):
    """Raised when so much waits to be written that no more is taken in."""


class StoreReplacedError(StoreUnavailableError):
    """Raised when another file stands where the database was opened: which of them is right only a person can say."""


def require(holds: bool, otherwise: str) -> None:
    """Check a value on its creation: raise ValueError with what is allowed."""
    if not holds:
        raise ValueError(otherwise)
