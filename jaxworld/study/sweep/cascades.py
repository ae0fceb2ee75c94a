"""How followed stimuli spread in a social world: share trees on the device, structural virality on the host."""

from __future__ import annotations

import jax
import numpy as np

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.timestep import TimeStep
from jaxworld.metrics.cascades import Cascades, num_digits
from jaxworld.metrics.host_cascades import virality, whole_distance
from jaxworld.social.shares import ShareReducer, ShareTrees
from jaxworld.social.state import TurnBatch

_WHOLE = ("scale", "depth", "max_breadth")


@pytree_dataclass
class CascadeFigures:
    """Cascades of the stimuli that ``shares`` follows.

    Columns, for a single stimulus: ``scale``, ``depth``, ``max_breadth``, ``structural_virality``; for several, with
    their number in brackets.
    """

    shares: ShareReducer

    def init(self, timestep: TimeStep) -> ShareTrees:
        return self.shares.init(timestep)

    def update(
        self, carry: ShareTrees, timestep: TimeStep, action: TurnBatch
    ) -> tuple[ShareTrees, dict[str, jax.Array]]:
        made, cascades = self.shares.update(carry, timestep, action)
        return made, _columns(cascades)

    def final(self, carry: ShareTrees) -> dict[str, jax.Array]:
        return _columns(carry.whole_cascades())

    def host_columns(self, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Put the digits of the distances together and divide by the pairs."""
        nodes, followed = self.shares.config.num_personas + 1, int(np.shape(self.shares.roots)[0])
        kept: dict[str, np.ndarray] = {}
        for number in range(followed):
            suffix = f"[{number}]" if followed > 1 else ""
            kept |= {f"{name}{suffix}": columns[f"{name}[{number}]"] for name in _WHOLE}
            digits = [columns[f"_distance[{number},{digit}]"] for digit in range(num_digits(nodes))]
            distance = whole_distance(np.stack(digits, axis=-1), nodes)
            kept[f"structural_virality{suffix}"] = virality(columns[f"scale[{number}]"], distance)
        return kept


def _columns(cascades: Cascades) -> dict[str, jax.Array]:
    return {**{name: getattr(cascades, name) for name in _WHOLE}, "_distance": cascades.distance_digits}
