"""Estimates from several draws of a release, put together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from dapple._program import Error, Fault

FEWEST = 5  # draws


class Combined(NamedTuple):
    """An estimate with its standard error, and the ends of its 95 % interval."""

    estimate: float
    standard_error: float
    low: float
    high: float


def combine(estimates: Iterable[Any], variances: Iterable[Any] | None = None) -> Any:
    """Puts together what was estimated from each draw of `Release.draws`: a number, or as many numbers from each.

    Without `variances` the result is about the people in the private table. With the variances that the estimator itself
    states, one for each estimate, it is about the population that they are a random sample of. The result is a Combined, or a
    list of them (Rubin, 1987). Raises Error.

    >>> c = combine([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> c.estimate, round(c.standard_error, 3), round(c.low, 3), round(c.high, 3)
    (3.0, 1.732, -1.797, 7.797)
    >>> [round(c.estimate, 1) for c in combine([[1, 10], [2, 20], [3, 30], [4, 40], [5, 50]])]
    [3.0, 30.0]
    """
    from_draws = list(estimates)
    stated = None if variances is None else list(variances)
    if len(from_draws) < FEWEST:
        raise Error([Fault("estimates", f"got {len(from_draws)}", f"give {FEWEST} or more, one from each draw")])
    if stated is not None and len(stated) != len(from_draws):
        raise Error([Fault("variances", f"got {len(stated)} of {len(from_draws)} estimates", "give one for each, or none")])
    if not hasattr(from_draws[0], "__len__"):
        return _combined([float(x) for x in from_draws], None if stated is None else [float(x) for x in stated])
    if len({len(x) for x in from_draws + (stated or [])}) > 1:
        raise Error([Fault("estimates", "draws differ in how many numbers they give", "give as many from each")])
    within = [None] * len(from_draws[0]) if stated is None else [[float(x) for x in column] for column in zip(*stated)]
    return [_combined([float(x) for x in column], w) for column, w in zip(zip(*from_draws), within)]


def _combined(estimates: list[float], variances: list[float] | None) -> Combined:
    m = len(estimates)
    mean = math.fsum(estimates) / m
    within = 0.0 if variances is None else math.fsum(variances) / m
    between = (1 + 1 / m) * math.fsum((x - mean) ** 2 for x in estimates) / (m - 1)
    error = math.sqrt(between + within)
    half = _student((m - 1) * (1 + within / between) ** 2 if between > 0 else math.inf) * error
    return Combined(mean, error, mean - half, mean + half)


def _student(df: float) -> float:
    """Returns the quantile .975 of Student's t, by its expansion around that of the normal law (Abramowitz and Stegun, 26.7.5)."""
    z = 1.959963984540054
    return (z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * df**3))
