"""What commands that measure drift share: the options that embedding metrics need."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from limen.metrics.endpoint import Address
    from limen.metrics.registry import MetricShelf

EndpointOption = Annotated[
    str | None,
    typer.Option(
        "--endpoint",
        metavar="URL",
        help="Send texts to this OpenAI-compatible server, for metrics such as cosine/endpoint/MODEL; "
        "its key is read from LIMEN_EMBEDDINGS_KEY.",
    ),
]
CacheOption = Annotated[
    Path | None,
    typer.Option("--cache", metavar="DIR", help="Where vectors of embedding metrics are kept; else your user's cache."),
]


@contextmanager
def open_shelf(lexicons: Path | None, endpoint: str | None, cache: Path | None) -> Iterator["MetricShelf"]:
    """Give the metrics; an endpoint is among them only when the command line names its address."""
    from limen.metrics.registry import MetricShelf

    shelf = MetricShelf(lexicons, cache_folder=cache, endpoint=_address(endpoint))
    try:
        yield shelf
    finally:
        shelf.close()


def _address(endpoint: str | None) -> "Address | None":
    if endpoint is None:
        return None
    from os import environ

    from limen.metrics.endpoint import KEY_VARIABLE, Address

    return Address(url=endpoint, key=environ.get(KEY_VARIABLE, "").strip())
