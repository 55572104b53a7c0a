"""How a number is written, for report, tables and terminal alike: the one place where they are rounded."""

from limen.core.analysis.estimates import Estimate, Interval, Undetermined


def p_value(p: float | Undetermined) -> str:
    """Write a p with its sign, three decimals, no leading zero; more where .050 would hide the side of .05 it is on.

    >>> p_value(0.0004), p_value(0.0123), p_value(0.0496), p_value(0.9999)
    ('p < .001', 'p = .012', 'p = .0496', 'p > .999')
    """
    if isinstance(p, Undetermined):
        return f"p {undetermined(p)}"
    if p < 0.001:
        return "p < .001"
    if p > 0.999:
        return "p > .999"
    places = 3
    while p != 0.05 and float(f"{p:.{places}f}") == 0.05:
        places += 1
    return f"p = {p:.{places}f}".replace("0.", ".", 1)


def decimal(value: float | Undetermined, places: int = 2) -> str:
    """Write a number with a fixed count of decimals and a true minus; one that rounds to zero has no sign.

    >>> decimal(-0.4567), decimal(-0.001), decimal(12.5, 1)
    ('−0.46', '0.00', '12.5')
    """
    if isinstance(value, Undetermined):
        return undetermined(value)
    text = f"{value:,.{places}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) != 0 else text.lstrip("-")


def kappa(value: float | Undetermined) -> str:
    """Write an agreement coefficient: two decimals.

    >>> kappa(0.2199)
    '0.22'
    """
    return decimal(value, 2)


def percent(share: float | Undetermined, places: int = 0) -> str:
    """Write a share as a percentage.

    >>> percent(0.643), percent(0.643, 1)
    ('64 %', '64.3 %')
    """
    return undetermined(share) if isinstance(share, Undetermined) else f"{decimal(100 * share, places)} %"


def percent_of(count: int, total: int) -> str:
    """Write a count as a percentage with the count behind it.

    >>> percent_of(64, 100), percent_of(0, 0)
    ('64 % (64 of 100)', '– (0 of 0)')
    """
    return f"{percent(count / total) if total else '–'} ({count:,} of {total:,})"


def interval(bounds: Interval | Undetermined, places: int = 2) -> str:
    """Write an interval as [low, high].

    >>> interval(Interval(low=-0.1, high=0.25))
    '[−0.10, 0.25]'
    """
    if isinstance(bounds, Undetermined):
        return undetermined(bounds)
    return f"[{decimal(bounds.low, places)}, {decimal(bounds.high, places)}]"


def percent_interval(bounds: Interval | Undetermined, places: int = 0) -> str:
    """Write an interval of shares in percent.

    >>> percent_interval(Interval(low=0.5, high=0.752))
    '[50 %, 75 %]'
    """
    if isinstance(bounds, Undetermined):
        return undetermined(bounds)
    return f"[{percent(bounds.low, places)}, {percent(bounds.high, places)}]"


def estimate(value: Estimate | Undetermined, places: int = 2) -> str:
    """Write an estimate with its interval.

    >>> estimate(Estimate(value=1.2, interval=Interval(low=0.5, high=1.9), n=20, method="t"))
    '1.20 [0.50, 1.90]'
    """
    if isinstance(value, Undetermined):
        return undetermined(value)
    return f"{decimal(value.value, places)} {_behind(value.interval, interval(value.interval, places))}"


def percent_estimate(value: Estimate | Undetermined, places: int = 0) -> str:
    """Write an estimated share with its interval in percent."""
    if isinstance(value, Undetermined):
        return undetermined(value)
    return f"{percent(value.value, places)} {_behind(value.interval, percent_interval(value.interval, places))}"


def points(difference: float | Undetermined, places: int = 0) -> str:
    """Write a difference of shares in percentage points, with its sign.

    >>> points(0.27), points(-0.034, 1)
    ('+27 points', '−3.4 points')
    """
    if isinstance(difference, Undetermined):
        return undetermined(difference)
    text = decimal(100 * difference, places)
    return f"{'+' if difference > 0 and float(text.replace(',', '')) != 0 else ''}{text} points"


def duration(milliseconds: float | Undetermined) -> str:
    """Write a duration as a reader thinks of it.

    >>> duration(8432), duration(754_000), duration(300_000), duration(320)
    ('8.4 s', '12 min 34 s', '5 min', '320 ms')
    """
    if isinstance(milliseconds, Undetermined):
        return undetermined(milliseconds)
    if milliseconds < 1000:
        return f"{decimal(milliseconds, 0)} ms"
    if milliseconds < 59_950:
        return f"{decimal(milliseconds / 1000, 1)} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    return f"{minutes:,} min {seconds} s" if seconds else f"{minutes:,} min"


def count(value: int | Undetermined) -> str:
    """Write a count, thousands set apart.

    >>> count(50000)
    '50,000'
    """
    return undetermined(value) if isinstance(value, Undetermined) else f"{value:,}"


def truth(value: bool | Undetermined) -> str:
    """Write whether something holds.

    >>> truth(True), truth(Undetermined(reason="no answers"))
    ('yes', 'undetermined (no answers)')
    """
    if isinstance(value, Undetermined):
        return undetermined(value)
    return "yes" if value else "no"


def undetermined(value: Undetermined) -> str:
    """Write that a number could not be had, and why. A reason that says so itself stands alone."""
    return value.reason if value.reason.startswith("undefined") else f"undetermined ({value.reason})"


def _behind(bounds: Interval | Undetermined, text: str) -> str:
    return f"(interval {text})" if isinstance(bounds, Undetermined) else text
