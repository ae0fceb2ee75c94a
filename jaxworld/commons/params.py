"""Traced parameters of a commons: every leaf can be swept under ``vmap``."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from jaxworld.commons.config import CommonsConfig
from jaxworld.commons.vocabulary import GrowthBase, Ration
from jaxworld.core import checks
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.pytree import pytree_dataclass

MOST_WHOLE_UNITS = 46_000
"""Products of two whole stocks stay below 2**31."""

_SHARES = ("search_share", "depreciation", "pollution_wear", "abatement", "regrowth_damage")
_SCALES = ("capital_scale", "damage_scale")


@pytree_dataclass
class SenecaParams:
    """Capital and pollution, ``float32[]`` each.

    The form follows Bardi, "Mind Sized World Models" (Sustainability 5(3), 2013): a resource feeds capital, capital
    speeds up the harvest, and what both do feeds pollution. The numbers are this project's own.

    Attributes:
        initial_capital, initial_pollution: at turn 0, at least 0.
        capital_scale: capital that doubles a harvest.
        search_share: stock, as a share of capacity, at which the effort spent on searching halves a harvest; small
            values keep the catch high while the stock falls.
        investment: capital made from a unit of harvest.
        depreciation: share of capital lost a turn without pollution.
        pollution_wear: added to it under full damage.
        damage_steepness: how suddenly damage sets in.
        damage_scale: pollution at half of full damage.
        emission: pollution from a unit of harvest.
        abatement: share of pollution that goes away a turn.
        regrowth_damage: share of regrowth lost under full damage.
    """

    initial_capital: jax.Array
    initial_pollution: jax.Array
    capital_scale: jax.Array
    search_share: jax.Array
    investment: jax.Array
    depreciation: jax.Array
    pollution_wear: jax.Array
    damage_steepness: jax.Array
    damage_scale: jax.Array
    emission: jax.Array
    abatement: jax.Array
    regrowth_damage: jax.Array


@pytree_dataclass
class CommonsParams:
    """Parameters of one world.

    Attributes:
        capacity: ``float32[]``, K, above 0.
        regrowth: ``float32[]``, r of the logistic law, 0 to 2; with whole units what a unit adds a turn (1 doubles).
        initial_low, initial_high: ``float32[]``, shares of capacity between which the first stock is uniform.
        harvest_cap: ``float32[]``, most a player may ask for in a turn, as a share of capacity; may be infinite. No
            request counts for more than the capacity.
        growth_base: ``int32[]``, a ``GrowthBase``.
        ration: ``int32[]``, a ``Ration``.
        collapse_share: ``float32[]``, share of capacity below which the commons has collapsed; 0 for never.
        absorbing: ``bool[]``, a collapse ends the world; if not it is only noted.
        living_cost: ``float32[]``, taken from every player each turn; above 0 a player without wealth drops out.
        initial_wealth: ``float32[]``.
        environment_noise: ``float32[]``, standard deviation of the logarithm of a shock on regrowth, of mean 1.
        seat: ``int32[N]``, a permutation of 0..N-1: who a player is, for draws, orders of service and ties.
        active: ``bool[N]``, who is present from the start.
        seneca: capital and pollution, None without them.
        governance: parameters of governance, None without it.
        observe: numbers of the observation pipeline.
    """

    capacity: jax.Array
    regrowth: jax.Array
    initial_low: jax.Array
    initial_high: jax.Array
    harvest_cap: jax.Array
    growth_base: jax.Array
    ration: jax.Array
    collapse_share: jax.Array
    absorbing: jax.Array
    living_cost: jax.Array
    initial_wealth: jax.Array
    environment_noise: jax.Array
    seat: jax.Array
    active: jax.Array
    seneca: SenecaParams | None
    governance: Any
    observe: Any


def make_seneca_params(
    *,
    initial_capital: float = 1.0,
    initial_pollution: float = 0.0,
    capital_scale: float = 5.0,
    search_share: float = 0.05,
    investment: float = 0.2,
    depreciation: float = 0.01,
    pollution_wear: float = 0.05,
    damage_steepness: float = 4.0,
    damage_scale: float = 60.0,
    emission: float = 0.1,
    abatement: float = 0.01,
    regrowth_damage: float = 1.0,
) -> SenecaParams:
    """Checked parameters of capital and pollution; see :class:`SenecaParams`.

    Raises:
        ConfigurationError: for a negative number, a scale that is not above 0, or a share above 1.
    """
    given = dict(locals())
    high, low = dict.fromkeys(_SHARES, 1.0), dict.fromkeys(_SCALES, 1e-6)
    made: dict[str, Any] = {
        field: np.float32(checks.number(field, value, low.get(field, 0.0), high.get(field, 1e9)))
        for field, value in given.items()
    }
    return SenecaParams(**made)


def make_params(
    config: CommonsConfig,
    *,
    capacity: float = 100.0,
    regrowth: float | None = None,
    initial_stock: float | tuple[float, float] | None = None,
    harvest_cap: float | None = None,
    growth_base: int | str = "after_harvest",
    ration: int | str | None = None,
    collapse_share: float = 0.05,
    absorbing: bool = True,
    living_cost: float = 0.0,
    initial_wealth: float = 0.0,
    environment_noise: float = 0.0,
    seat: Sequence[int] | np.ndarray | None = None,
    active: Sequence[bool] | np.ndarray | None = None,
    seneca: SenecaParams | None = None,
    governance: Any = None,
    observe: Any = None,
) -> CommonsParams:
    """Checked parameters; see :class:`CommonsParams`. Left out, they are those of ``config``'s kind of commons.

    Args:
        config: of the world.
        capacity: above 0; a whole number with whole units.
        regrowth: 0.4, and 1 with whole units. Above 1 the logistic law overshoots, which is warned of.
        initial_stock: a share of capacity, or two between which it is uniform; 0.4 to 1, and 1 where the resource
            comes in whole units or feeds capital.
        harvest_cap: share of capacity; 0.05, and no limit with whole units.
        growth_base, ration: by name or number; proportional service, and unit by unit with whole units.
        collapse_share, environment_noise, living_cost: 0 to 1, 0 to 5, at least 0.
        seat: a permutation of the players. active: who is present from the start.
        seneca, governance, observe: parameters of these parts, their defaults if None.

    Raises:
        ConfigurationError: naming the parameter.
    """
    whole = config.whole_units
    rate = checks.number("regrowth", (0.4, 1.0)[whole] if regrowth is None else regrowth, 0.0, 2.0)
    if rate > 1.0 and not whole:
        warnings.warn(f"regrowth = {rate}: above 1 the stock can overshoot its capacity in one turn", stacklevel=2)
    size = checks.number("capacity", capacity, *((1.0, MOST_WHOLE_UNITS) if whole else (1e-6, 1e9)))
    require(not whole or size == int(size), "capacity", capacity, "use a whole number: the resource comes in units")
    low, high = _initial_shares(config, initial_stock)
    made: dict[str, Any] = {
        "capacity": np.float32(size),
        "regrowth": np.float32(rate),
        "initial_low": np.float32(low),
        "initial_high": np.float32(high),
        "harvest_cap": np.float32(_cap(config, harvest_cap)),
        "growth_base": np.int32(GrowthBase.parse("growth_base", growth_base)),
        "ration": np.int32(Ration.parse("ration", Ration(int(whole)) if ration is None else ration)),
        "collapse_share": np.float32(checks.number("collapse_share", collapse_share, 0.0, 1.0)),
        "absorbing": np.bool_(checks.flag("absorbing", absorbing)),
        "living_cost": np.float32(checks.number("living_cost", living_cost, 0.0, 1e9)),
        "initial_wealth": np.float32(checks.number("initial_wealth", initial_wealth, 0.0, 1e9)),
        "environment_noise": np.float32(checks.number("environment_noise", environment_noise, 0.0, 5.0)),
    }
    made |= {"seat": _seats(config.num_players, seat), "active": _present(config.num_players, active)}
    return CommonsParams(**made, **_parts(config, size, seneca, governance, observe))


def parameter_ranges(config: CommonsConfig) -> dict[str, tuple[float, float]]:
    """Lowest and highest value of each parameter by the name of its leaf, for sweeps."""
    ranges: dict[str, tuple[float, float]] = {
        "capacity": (1.0, MOST_WHOLE_UNITS) if config.whole_units else (1e-6, 1e9),
        "regrowth": (0.0, 2.0),
        "initial_low": (0.0, 1.0),
        "initial_high": (0.0, 1.0),
        "harvest_cap": (0.0, float("inf")),
        "growth_base": (0, len(GrowthBase) - 1),
        "ration": (0, len(Ration) - 1),
        "collapse_share": (0.0, 1.0),
        "absorbing": (0, 1),
        "living_cost": (0.0, 1e9),
        "initial_wealth": (0.0, 1e9),
        "environment_noise": (0.0, 5.0),
    }
    if config.seneca:
        ranges |= {f"seneca.{field.name}": (0.0, 1e9) for field in dataclasses.fields(SenecaParams)}
        ranges |= {f"seneca.{name}": (0.0, 1.0) for name in _SHARES} | {
            f"seneca.{name}": (1e-6, 1e9) for name in _SCALES
        }
    ranges |= config.pipeline.parameter_ranges("observe.")
    if config.governance is not None:
        from jaxworld.commons.governance import layer

        ranges |= {f"governance.{name}": bounds for name, bounds in layer.parameter_ranges().items()}
    return ranges


def _initial_shares(config: CommonsConfig, given: float | tuple[float, float] | None) -> tuple[float, float]:
    if given is None:
        given = 1.0 if config.whole_units or config.seneca else (0.4, 1.0)
    pair = given if isinstance(given, tuple | list) else (given, given)
    require(len(pair) == 2, "initial_stock", given, "give one share of capacity, or the lowest and the highest")
    low, high = (checks.number("initial_stock", share, 0.0, 1.0) for share in pair)
    require(low <= high, "initial_stock", given, "the lowest share comes first")
    return low, high


def _cap(config: CommonsConfig, given: float | None) -> float:
    if given is None:
        # Effort, not a ceiling, limits harvests that capital amplifies.
        return float("inf") if config.whole_units or config.seneca else 0.05
    return given if given == float("inf") else checks.number("harvest_cap", given, 0.0, 1e9)


def _seats(size: int, given: Any) -> np.ndarray:
    if given is None:
        return np.arange(size, dtype=np.int32)
    seats = np.asarray(given)
    fits = seats.shape == (size,) and np.array_equal(np.sort(seats), np.arange(size))
    require(fits, "seat", given, f"give a permutation of 0 to {size - 1}")
    return seats.astype(np.int32)


def _present(size: int, given: Any) -> np.ndarray:
    if given is None:
        return np.ones(size, bool)
    present = np.asarray(given)
    fits = present.shape == (size,) and present.dtype == np.bool_
    require(fits, "active", given, f"give {size} values of True or False")
    require(bool(present.any()), "active", given, "at least one player must be present")
    return present


def _parts(config: CommonsConfig, capacity: float, seneca: Any, governance: Any, observe: Any) -> dict[str, Any]:
    """Parameters of the parts that only some commons have, and of the pipeline."""
    has = config.seneca or seneca is None
    require(has, "seneca", seneca, "this commons has no capital: leave it out, or build it with seneca=True")
    return {
        "seneca": (make_seneca_params() if seneca is None else seneca) if config.seneca else None,
        "governance": _governance(config, governance, capacity),
        "observe": config.pipeline.default_params() if observe is None else observe,
    }


def _governance(config: CommonsConfig, given: Any, capacity: float) -> Any:
    if config.governance is None:
        if given is not None:
            raise ConfigurationError("governance", given, "this commons has no governance: configure it first")
        return None
    from jaxworld.commons.governance import layer

    return layer.governance_params(tolerance=1e-4 * capacity) if given is None else given
