"""Small games and their graphs, built once for all tests."""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np

from jaxworld.markov import (
    Gathering,
    IceDuel,
    PublicGoods,
    Pursuit,
    StagHunt,
    bertrand,
    chicken,
    congestion,
    inspection,
)
from jaxworld.markov.bits import pack_host
from jaxworld.markov.graph import build_graph

SMALL: dict[str, Any] = {
    "chicken": chicken,
    "bertrand": bertrand,
    "inspection": inspection,
    "congestion": congestion,
    "public_goods": PublicGoods,
    "pursuit": lambda: Pursuit(3, walls=(4,)),
    "open_pursuit": lambda: Pursuit(2, num_pursuers=2, terminate_on_collision=False),
    "ice_duel": lambda: IceDuel(2),
    "gathering": lambda: Gathering(2, 2, sites=(1, 2)),
    "stag_hunt": lambda: StagHunt(2, 3),
    "tiny_stag_hunt": lambda: StagHunt(2, 2, num_plants=1),
}
GOLDEN: dict[str, Any] = {
    **{name: SMALL[name] for name in ("chicken", "bertrand", "inspection", "congestion", "public_goods")},
    "pursuit": Pursuit,
}


@functools.cache
def small_graph(name: str) -> Any:
    return build_graph(SMALL[name]())


@functools.cache
def golden_graph(name: str) -> Any:
    return small_graph(name) if name in SMALL and SMALL[name] is GOLDEN[name] else build_graph(GOLDEN[name]())


def same_arrays(one: Any, other: Any) -> bool:
    """Whether two graphs have the same arrays, byte for byte."""
    left, right = one.arrays(), other.arrays()
    return list(left) == list(right) and all(
        left[name].dtype == right[name].dtype
        and left[name].shape == right[name].shape
        and left[name].tobytes() == right[name].tobytes()
        for name in left
    )


@functools.cache
def _decoder(game: Any) -> Any:
    return jax.jit(jax.vmap(game.decode))


def publics(game: Any, bits: np.ndarray) -> Any:
    """Public states on the host, stacked, of public bits ``bool[N, B]``."""
    return jax.device_get(_decoder(game)(bits))


def words(bits: np.ndarray) -> np.ndarray:
    return pack_host(bits)
