"""A table that names the providers of conversations whose logs do not: CSV with the columns id and provider."""

import csv
from pathlib import Path

from limen.errors import LogError


def read_providers(path: Path) -> dict[str, str]:
    """Read the table; ids may be given with or without the run in front."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if not {"id", "provider"} <= set(reader.fieldnames or ()):
                raise LogError(f"{path}: the first line must name the columns id and provider; add it")
            rows = [(reader.line_num, row["id"], row["provider"]) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        why = problem.strerror if isinstance(problem, OSError) else problem
        raise LogError(f"{path}: cannot be read ({why}); expected CSV with id,provider") from problem
    table: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line, given_name, given_provider in rows:
        name, provider = (given_name or "").strip(), (given_provider or "").strip().lower()
        if not name or not provider:
            raise LogError(f"{path}, line {line}: id and provider must both be given; mend that line")
        if table.setdefault(name, provider) != provider:
            raise LogError(
                f"{path}, lines {lines[name]} and {line}: {name!r} is of {table[name]} and of {provider}; keep one line"
            )
        lines.setdefault(name, line)
    return table
