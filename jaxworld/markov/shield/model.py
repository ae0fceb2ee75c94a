"""The numbers a shield works with: certified risks of states and actions, per scenario, in whole units."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.leaves import digest
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.shield.allocate import ALLOCATORS, budget_units, check_grid, egalitarian_lifts
from jaxworld.markov.solve.certificate import UNITS
from jaxworld.markov.solve.reachability import live_rows, mixed_scenarios, solve, worst_case
from jaxworld.markov.solve.rows import Rows, check_player, get_label


@dataclasses.dataclass(frozen=True, eq=False)
class ShieldModel:
    """Risks of one player on one graph. Two models with the same numbers are equal.

    Attributes:
        graph: the joint graph.
        player: who is shielded.
        label: what is to be avoided; a state that carries it counts as reached for good.
        target: ``bool[S]``, the states that carry it.
        grid: steps of the budget grid.
        allocator: one of ``ALLOCATORS``.
        floors: for each level floor the scenarios it guards against; one floor if every reply is guarded against.
        bound: ``int64[F, S]``, units: certified bound on the risk of each state under safest play.
        risk: ``int64[F, S, A_own]``, units: worst expected bound after each action.
        lifts: ``int32[F, S, grid + 1, A_own]`` for the egalitarian allocator, else ``[F, 0, 0, 0]``.
        opponents: the policies of the levels, ``float64[S, A_others]`` each; empty if every reply is guarded against.
        digest: SHA-256 of the numbers.
    """

    graph: Graph
    player: int
    label: str
    target: np.ndarray
    grid: int
    allocator: str
    floors: tuple[tuple[Rows, ...], ...]
    bound: np.ndarray
    risk: np.ndarray
    lifts: np.ndarray
    opponents: tuple[np.ndarray, ...]
    digest: str

    @property
    def num_floors(self) -> int:
        """Number of level floors F."""
        return len(self.floors)

    @property
    def least_budgets(self) -> np.ndarray:
        """``float64[F]``: the least budget every starting state allows, for each floor."""
        starts = np.asarray(self.graph.initial) > 0
        return np.asarray(self.bound[:, starts].max(axis=1) / UNITS)

    def budgets(self, floor: int) -> np.ndarray:
        """``int64[S, grid + 1]``: the budget at each level, units."""
        return budget_units(np.arange(self.grid + 1)[None, :], self.bound[floor][:, None], self.grid)

    def masks(self, floor: int) -> np.ndarray:
        """``bool[S, grid + 1, A_own]``: which actions each budget allows."""
        return self.risk[floor][:, None, :] <= self.budgets(floor)[:, :, None]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShieldModel) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"ShieldModel(player={self.player}, label={self.label!r}, grid={self.grid}, {self.digest[:12]})"


def build_shield(
    graph: Graph,
    *,
    player: int = 0,
    label: str | None = None,
    opponents: Sequence[np.ndarray] | None = None,
    grid: int = 20,
    allocator: str = "proportional",
    tolerance: float = 1e-13,
    max_sweeps: int = 200_000,
) -> ShieldModel:
    """Solve for the risks a shield needs.

    Args:
        graph: a joint graph.
        player: who is shielded.
        label: what to avoid; ``unsafe_PLAYER`` if None, or ``unsafe`` where the graph has only that.
        opponents: None guards against every reply. Policies of the others, ``float64[S, A_others]`` for level 0, 1, ...
            (``opponent_levels``), guard at level floor l against whatever levels l and above do, anew in every step.
        grid: steps of the budget grid, a divisor of UNITS.
        allocator: how slack is dealt out, see ``shield.allocate``.
        tolerance, max_sweeps: of the value iteration.

    Raises:
        ConfigurationError: for a player, label, policy, grid or allocator that does not fit.
        SolverError: if the iteration does not settle.
    """
    require(allocator in ALLOCATORS, "allocator", allocator, f"use one of {', '.join(ALLOCATORS)}")
    steps, own = check_grid(grid), check_player(graph, player)
    label = label or (f"unsafe_{own}" if f"unsafe_{own}" in graph.labels else "unsafe")
    target = get_label(graph, label)
    rows = live_rows(graph, target, own)
    scenarios = [rows] if opponents is None else mixed_scenarios(rows, opponents, len(target))
    floors = tuple(tuple(scenarios[floor:]) for floor in range(len(scenarios)))
    solved = [_floor(target, list(each), tolerance, max_sweeps) for each in floors]
    bound, risk = np.stack([each[0] for each in solved]), np.stack([each[1] for each in solved])
    lifts = np.zeros((len(floors), 0, 0, 0), np.int32)
    if allocator == "egalitarian":
        lifts = np.stack([egalitarian_lifts(list(each), bound[at], risk[at], steps) for at, each in enumerate(floors)])
    made = {"bound": bound, "risk": risk, "lifts": lifts, "initial": np.asarray(graph.initial), "target": target}
    policies = tuple(np.asarray(policy, np.float64) for policy in opponents or ())
    return ShieldModel(
        graph=graph, player=own, label=label, target=target, grid=steps, allocator=allocator, floors=floors,
        bound=bound, risk=risk, lifts=lifts, opponents=policies,
        digest=digest([made, policies, np.asarray([own, steps]), np.frombuffer(label.encode(), np.uint8)]),
    )  # fmt: skip


def _floor(
    target: np.ndarray, scenarios: list[Rows], tolerance: float, max_sweeps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds ``int64[S]`` and risks ``int64[S, A_own]`` against some scenarios, units."""
    found = solve(target, scenarios, tolerance=tolerance, max_sweeps=max_sweeps, units=UNITS)
    bound = np.rint(found.upper * UNITS).astype(np.int64)
    risk = np.repeat(bound[:, None], scenarios[0].num_choices, axis=1)
    expected = [rows.expect_up(bound.astype(np.float64)) for rows in scenarios]
    risk[scenarios[0].states] = np.ceil(np.minimum(worst_case(expected), UNITS)).astype(np.int64)
    return bound, risk
