"""A new study folder."""

import re
from pathlib import Path

from limen.errors import StudyFolderError
from limen.study.folder import StudyFolder, write_whole
from limen.study.protocol_file import BUILT_IN, built_in_text, parse_protocol
from limen.study.schemas import protocol_schema


def create_study(
    path: Path, *, protocol: str = BUILT_IN, seed: int | None = None, log: bytes | None = None
) -> tuple[Path, ...]:
    """Write study.toml, its schema and, if given, a log; give the files written. A study that is there is kept."""
    folder = StudyFolder(path)
    if folder.protocol_file.exists():
        raise StudyFolderError(f"{folder.protocol_file}: a study is there already; choose another folder")
    if path.exists() and not path.is_dir():
        raise StudyFolderError(f"{path}: is a file; choose a folder for the study")
    text = built_in_text(protocol)
    if seed is not None:
        text = re.sub(r"^seed = \d+", f"seed = {seed}", text, count=1, flags=re.MULTILINE)
    parse_protocol(text, str(folder.protocol_file))
    files = {folder.protocol_file: text.encode(), folder.schema_file: protocol_schema()}
    if log is not None:
        files[folder.logs / "example.jsonl"] = log
    for place, data in files.items():
        write_whole(place, data)
    return tuple(files)
