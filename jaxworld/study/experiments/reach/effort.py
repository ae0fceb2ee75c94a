"""A posting policy as a split of effort: what creators do with the little time they have."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.social.policies import PROBABILITY_UNIT, RuleBasedPolicy

COSTS = {"post": 1.0, "reply": 1.0, "share": 0.3, "follow": 0.2, "approve": 0.1}
"""Effort of one act of each kind, in posts: writing costs most. An assumption of this study, not a measurement."""


@pytree_dataclass
class EffortCodec:
    """Candidates are splits of a fixed effort over the kinds of acts; the others keep their own traits.

    A candidate ``{"split": float32[5]}`` spends the share ``softmax(split)[k]`` of the effort on kind k, so the
    chance of it at a turn is ``effort * share / cost``. Zeros are an even split.

    Attributes:
        policy: everybody's rule-based policy.
        creator: ``bool[N]``.
        effort: ``float32[]``.
    """

    policy: RuleBasedPolicy
    creator: jax.Array
    effort: jax.Array

    def decode(self, candidate: dict[str, jax.Array]) -> RuleBasedPolicy:
        """Everybody's policy, with the creators' chances in place. A creator never dissents and follows no crowd."""
        cost = np.array(list(COSTS.values()), np.float32)
        chance = jnp.minimum(self.effort * self.shares(candidate) / cost, np.float32(1))
        units = jnp.round(chance * np.float32(PROBABILITY_UNIT)).astype(jnp.int32)
        nothing = dict.fromkeys(("dissent", "conformity", "interest"), np.int32(0))
        searched = {name: units[number] for number, name in enumerate(COSTS)} | nothing
        traits = self.policy.traits
        changed = {
            name: jnp.where(self.creator, value, jnp.asarray(getattr(traits, name))) for name, value in searched.items()
        }
        return replace(self.policy, traits=replace(traits, **changed))

    def shares(self, candidate: dict[str, jax.Array]) -> jax.Array:
        """Share of the effort on each kind of act, ``float32[5]``, summing to 1."""
        return jax.nn.softmax(candidate["split"])


def even_split() -> dict[str, jax.Array]:
    """The candidate that spends the same effort on everything."""
    return {"split": jnp.zeros(len(COSTS), jnp.float32)}
