"""The log of a server: a JSON object a line, or plain lines for a terminal. It goes to standard error."""

import json
import logging
import sys
import time
from enum import StrEnum


class LogFormat(StrEnum):
    """How the log is written."""

    AUTO = "auto"
    JSON = "json"
    TEXT = "text"


class JsonLines(logging.Formatter):
    """One object a line: time (UTC), level, where it comes from, what happened, and its fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Give a record as JSON."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        shown: dict[str, object] = {
            "time": f"{at}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            "process": record.process,
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            shown["error"] = self.formatException(record.exc_info)
        return json.dumps(shown, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """A line a person reads."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Give a record as text, its fields behind it."""
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        return f"{super().format(record)} {fields}".rstrip()


def begin_log(form: LogFormat, *, requests: bool) -> None:
    """Send the log to standard error. With `requests` every request has its line."""
    plain = form is LogFormat.TEXT or (form is LogFormat.AUTO and sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(TextLines() if plain else JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("limen.cli").setLevel(logging.INFO)
    if requests:
        logging.getLogger("limen.web.measured").setLevel(logging.INFO)
