"""Numbers with their nouns."""


def counted(n: int, what: str, many: str = "") -> str:
    """Give a number with its noun.

    >>> counted(1, "file"), counted(1200, "file"), counted(2, "reply", "replies")
    ('1 file', '1,200 files', '2 replies')
    """
    return f"{n:,} {what if n == 1 else many or what + 's'}"
