"""The contract of the family, for any environment: what every agent observes is the state, and nothing else is."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def breaches(observations: Mapping[Any, Any], state: Any) -> set[str]:
    """How one moment, or a batch of moments, breaks the contract; empty if it does not.

    Args:
        observations: what each agent observes.
        state: the public state, of the shape of an observation.

    Returns:
        ``other shape``: an agent observes an array of another shape than the state's. ``not the state``: of the same
        shape, but with other entries. ``not alike``: agents observe different things.
    """
    whole = np.asarray(state)
    seen = [np.asarray(each) for each in observations.values()]
    found = set()
    if any(each.shape != whole.shape for each in seen):
        found.add("other shape")
    if any(each.shape == whole.shape and not np.array_equal(each, whole) for each in seen):
        found.add("not the state")
    if any(not np.array_equal(each, seen[0]) for each in seen):
        found.add("not alike")
    return found


def hides_the_law(before: list[Any], after: list[Any]) -> bool:
    """Whether moments with one public state have different futures under one joint action, without any chance."""
    same_past = all(np.array_equal(before[0], other) for other in before)
    return same_past and not all(np.array_equal(after[0], other) for other in after)
