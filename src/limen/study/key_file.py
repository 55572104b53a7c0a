"""key.json and invitations.csv: what stays with the researcher when the survey is sent out as a file."""

import csv
import io
from pathlib import Path
from typing import Literal

import msgspec

from limen.errors import DataError
from limen.study.folder import write_whole
from limen.workflow.collect import StaticKey

KEY_SCHEMA = "limen.key/1"

_COLUMNS = ("code", "link", "made_at")


class KeyFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """key.json: one entry for every page that was made, the oldest first."""

    schema: Literal["limen.key/1"]
    pages: tuple[StaticKey, ...]


def read_keys(path: Path) -> tuple[StaticKey, ...]:
    """Give the keys of all pages that were made from a study; none when no page was made."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=KeyFile).pages
    except FileNotFoundError:
        return ()
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise DataError(f"{path}: {problem}; it was changed or cut off: put the original back") from problem
    except OSError as problem:
        raise DataError(f"{path}: cannot be read ({problem.strerror}); check its rights") from problem


def add_key(path: Path, key: StaticKey) -> None:
    """Add the key of one more page; those of earlier pages stay."""
    file = KeyFile(schema="limen.key/1", pages=(*read_keys(path), key))
    write_whole(path, msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n")


def add_invitations(path: Path, key: StaticKey, page: str) -> None:
    """Add one line for every plan of a page: its code, and the link that has it."""
    before = path.read_text("utf-8") if path.exists() else ",".join(_COLUMNS) + "\n"
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    made_at = key.made_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    writer.writerows((plan.code, f"{page}#{plan.code}", made_at) for plan in key.plans)
    write_whole(path, (before + lines.getvalue()).encode())
