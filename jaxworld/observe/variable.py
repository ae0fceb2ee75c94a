"""What a family offers for observation: one description a variable."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

from jaxworld.core.checks import flag, number
from jaxworld.core.errors import require

Shape = Literal["scalar", "player", "pair"]
SHAPES = ("scalar", "player", "pair")
_MOST = 3.0e38


@dataclasses.dataclass(frozen=True)
class Variable:
    """One variable that players may observe.

    Attributes:
        name: what configurations call it, in camelCase such as ``commonsStock``.
        shape: ``scalar``, one true value ``float32[]`` that every observer looks at; ``player``, ``float32[N]``, each
            observer looks at its own; ``pair``, ``float32[N]``, every observer looks at every other player's.
        low: least value, None if there is no natural bound. Buckets need both bounds.
        high: largest value, None if there is no natural bound.
        visible: whether it is seen where the configuration does not say.
        description: one line for whoever may read the public description.
        requires: not empty if the variable does not exist in this world; says what would make it exist. Configuring
            it is then an error, and observations do not have it.

    Raises:
        ConfigurationError: for a malformed name or shape, or bounds that are not finite and increasing.
    """

    name: str
    shape: Shape
    low: float | None
    high: float | None
    visible: bool
    description: str
    requires: str = ""

    def __post_init__(self) -> None:
        field = f"variable {self.name}"
        named = isinstance(self.name, str) and self.name.isidentifier()
        require(named, "variable.name", self.name, "use letters, digits and underscores")
        require(self.shape in SHAPES, f"{field}.shape", self.shape, f"use one of {', '.join(SHAPES)}")
        flag(f"{field}.visible", self.visible)
        for side, bound in (("low", self.low), ("high", self.high)):
            if bound is not None:
                object.__setattr__(self, side, number(f"{field}.{side}", bound, -_MOST, _MOST))
        low, high = self.bounds
        require(low < high, f"{field}.low", self.low, f"use less than high = {self.high}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Both bounds; a missing one is infinite."""
        low = -math.inf if self.low is None else self.low
        return low, math.inf if self.high is None else self.high
