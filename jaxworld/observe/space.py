"""The space of what is delivered of one variable."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from jaxworld.core.spaces import Boolean, Box, Composite, Discrete, Space, Verdict
from jaxworld.observe.delivered import Content, Delivered
from jaxworld.observe.kinds.resolution import mode_labels
from jaxworld.observe.plan import VariablePlan


@dataclasses.dataclass(frozen=True)
class DeliveredSpace(Space):
    """A :class:`Delivered` of one kind; ``arrays`` describes its arrays."""

    arrays: Composite
    kind: Content

    def sample(self, key: jax.Array) -> Delivered:
        return Delivered(**self.arrays.sample(key), kind=self.kind)

    def membership(self, value: Any, path: str = "") -> Iterator[Verdict]:
        if not (isinstance(value, Delivered) and value.kind == self.kind):
            yield path, self, np.False_
            return
        yield from self.arrays.membership({name: getattr(value, name) for name in self.arrays.spaces}, path)

    def describe(self) -> str:
        return f"Delivered[{self.kind}]{self.arrays.describe()}"

    def to_dict(self) -> dict[str, Any]:
        return {**self.arrays.to_dict(), "class": "Delivered", "content": self.kind}


def delivered_space(plan: VariablePlan, shape: tuple[int, ...]) -> DeliveredSpace:
    """The space of one variable, for observers by targets of this shape."""
    bound = Box(-np.inf, np.inf, shape[:1], np.float32)
    most = _most_codes(plan)
    code = Box(-1, -1, shape, np.int32) if most == 0 else Discrete(most, shape, low=-1)
    value = Box(-np.inf, np.inf, shape, np.float32)
    arrays = {"value": value, "mask": Boolean(shape), "code": code, "low": bound, "high": bound}
    return DeliveredSpace(Composite(None, arrays), plan.content)


def _most_codes(plan: VariablePlan) -> int:
    """How many codes there can be: none for numbers, any number where a kind does not say."""
    if plan.content == "number":
        return 0
    stage = plan.stages[-1]
    if plan.content == "mixed":
        return max(len(mode_labels(mode, stage.fields["buckets"])) for mode in stage.fields["mode"])
    return len(stage.labels) or 2**31 - 1
