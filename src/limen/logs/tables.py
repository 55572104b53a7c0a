"""Logs as Parquet files: one row a record, read row group by row group with pyarrow (the extra `parquet`)."""

from collections.abc import Iterator

from limen.errors import LogError
from limen.logs.archives import Span
from limen.logs.files import LogFile
from limen.logs.format import known_formats
from limen.logs.records import BadRecord, FoundRecord

ROWS_AT_ONCE = 256


def row_groups(log: LogFile) -> Iterator[Span]:
    """Give the row groups of a file. Raises LogError where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: PLC0415 - an extra
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as problem:
        raise LogError(
            f"{log.name}: a Parquet file, which needs pyarrow; install it with: pip install 'limen[parquet]'"
        ) from problem
    try:
        with pyarrow.parquet.ParquetFile(log.path) as file:
            rows = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    except (pyarrow.ArrowException, OSError, ValueError) as problem:
        yield Span(0, 0, log.path.stat().st_size, broken=_said(problem))
        return
    size, first = log.path.stat().st_size, 1
    for group, count in enumerate(rows):
        yield Span(group, group + 1, size * count // max(1, sum(rows)), first)
        first += count


def read_rows(path: str, group: int, first: int) -> Iterator[FoundRecord | BadRecord]:
    """Give the rows of one row group; only columns that some format looks at are read."""
    import pyarrow  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    wanted = {field for known in known_formats() for field in known.fields}
    row = first
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name in wanted]
            for batch in file.iter_batches(ROWS_AT_ONCE, row_groups=[group], columns=columns, use_threads=False):
                for record in batch.to_pylist():
                    yield FoundRecord(place=f"row {row}", record=record, header={})
                    row += 1
    except FileNotFoundError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as problem:
        yield BadRecord(place=f"row {row}", reason=_said(problem))


def _said(problem: Exception) -> str:
    return f"the file breaks off or is damaged: {str(problem).partition(chr(10))[0]}"
