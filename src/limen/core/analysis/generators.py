"""Chance for the measures that need it: independent named generators from the one study seed."""

import hashlib

import numpy as np


def named_generator(seed: int, name: str) -> np.random.Generator:
    """Give a generator of its own: the same seed and name always give the same draws.

    >>> bool(named_generator(1, "agreement/all").random() == named_generator(1, "agreement/all").random())
    True
    """
    digest = hashlib.sha256(f"{seed}/{name}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))
