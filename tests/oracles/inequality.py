"""Slow, obvious references for inequality and concentration, on one plain list of amounts.

There are no weights and no masks here: :func:`population` writes them out into the list of individuals they stand for.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def population(values, weights=None, mask=None) -> list[float]:
    """The individuals: masked entries dropped, an entry of whole weight w listed w times."""
    people = []
    for index, value in enumerate(values):
        if mask is None or mask[index]:
            people += [float(value)] * (1 if weights is None else int(weights[index]))
    return people


def gini(people: list[float]) -> float:
    """Mean absolute difference over all ordered pairs, over twice the mean."""
    if sum(people) == 0:
        return 0.0
    differences = [abs(a - b) for a in people for b in people]
    return float(np.mean(differences) / (2 * np.mean(people)))


def lorenz_points(people: list[float]) -> list[tuple[float, float]]:
    """The corners of the curve: after each of the poorest, the shares of heads and of holdings up to there."""
    points, held, total = [(0.0, 0.0)], 0.0, sum(people)
    for rank, amount in enumerate(sorted(people), start=1):
        held += amount
        heads = rank / len(people)
        points.append((heads, held / total if total else heads))
    return points


def herfindahl(people: list[float]) -> float:
    total = sum(people)
    return sum((amount / total) ** 2 for amount in people) if total else 0.0


def effective_number(people: list[float]) -> float:
    return 1 / herfindahl(people) if sum(people) else 0.0


def top_share(people: list[float], *, percent: int | None = None, count: int | None = None) -> float:
    """The share of the ``count`` largest, or of the fewest that make up ``percent`` per cent of the heads."""
    if percent is not None:
        count = 0
        while Fraction(count) < Fraction(percent * len(people), 100):
            count += 1
    total = sum(people)
    return sum(sorted(people, reverse=True)[:count]) / total if total else 0.0


def entropy(people: list[float], *, normalised: bool = False) -> float:
    total = sum(people)
    shares = [amount / total for amount in people if amount > 0] if total else []
    nats = -sum(share * math.log(share) for share in shares)
    if not normalised:
        return nats
    return nats / math.log(len(people)) if len(people) > 1 else 0.0


def coverage(people: list[float]) -> float:
    return sum(amount > 0 for amount in people) / len(people) if people else 0.0


def everything(values, weights=None, mask=None) -> dict[str, float]:
    """Every figure by name, with the sizes the tests use."""
    people = population(values, weights, mask)
    return {
        "gini": gini(people),
        "herfindahl": herfindahl(people),
        "effective_number": effective_number(people),
        "top_count": top_share(people, count=2),
        "top_fraction": top_share(people, percent=30),
        "entropy": entropy(people),
        "evenness": entropy(people, normalised=True),
        "coverage": coverage(people),
    }
