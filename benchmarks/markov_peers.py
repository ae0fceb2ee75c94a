"""What the markov family is measured beside: Storm, QuantEcon, PettingZoo's pursuit and MASA's games, where installed.

Storm explores the same game from a program in PRISM's language, written here from the rules of
:class:`jaxworld.markov.Pursuit`; it never sees one of our graphs.
"""

from __future__ import annotations

import importlib
import itertools
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Timing, measure
from jaxworld.markov.graph import Graph

MOVES = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1), "stay": (0, 0)}


def find(module: str) -> Any | None:
    """A module, or None, and then a line that says so."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        print(f"not installed: {module.split('.')[0]} ({error})", file=sys.stderr)
        return None


def pursuit_program(size: int, num_pursuers: int, slip: float = 0.1) -> str:
    """Pursuit in PRISM's language (prismmodelchecker.org), a choice for each joint action."""
    players = range(num_pursuers + 1)
    lines = ["mdp", f"const int last = {size - 1};", f"const double slip = {slip!r};"]
    lines.append("formula met = " + " | ".join(f"(x0 = x{k} & y0 = y{k})" for k in players[1:]) + ";")
    lines.append("formula goal = x0 = last & y0 = last;")
    for player, (name, (right, down)) in itertools.product(players, MOVES.items()):
        lines.append(f"formula x{player}{name} = max(0, min(last, x{player} + {right}));")
        lines.append(f"formula y{player}{name} = max(0, min(last, y{player} + {down}));")
    lines.append("module pursuit")
    lines += [f"  x{player} : [0..last]; y{player} : [0..last];" for player in players]
    lines += [f"  [] !met & !goal -> {_outcomes(joint)};" for joint in itertools.product(MOVES, repeat=len(players))]
    lines += ["  [] met | goal -> true;", "endmodule", 'label "unsafe" = met;']
    lines.append("init x0 = 0 & y0 = 0 & " + " & ".join(f"(x{k} > 0 | y{k} > 0)" for k in players[1:]) + " endinit")
    return "\n".join(lines) + "\n"


def _outcomes(joint: tuple[str, ...]) -> str:
    """All combinations of who moves and who slips; a slip of a player that would not move anyway changes nothing."""
    branches = []
    for moves in itertools.product((True, False), repeat=len(joint)):
        chance = " * ".join("(1 - slip)" if each else "slip" for each in moves)
        updates = []
        for player in np.flatnonzero(moves):
            x, y = f"x{player}{joint[player]}", f"y{player}{joint[player]}"
            if player and moves[0]:  # whoever would swap with the evader stays
                towards = f"x0{joint[0]} = x{player} & y0{joint[0]} = y{player}"
                swap = f"({x} = x0 & {y} = y0 & {towards})"
                x, y = f"({swap} ? x{player} : {x})", f"({swap} ? y{player} : {y})"
            updates.append(f"(x{player}' = {x}) & (y{player}' = {y})")
        branches.append(f"{chance} : {' & '.join(updates) or 'true'}")
    return " + ".join(branches)


def storm_build(size: int, num_pursuers: int) -> Callable[[], Any] | None:
    """From the program's text to Storm's sparse matrix, labels included; None if Storm is not installed."""
    stormpy = find("stormpy")
    if stormpy is None:
        return None
    text = pursuit_program(size, num_pursuers)

    def build() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pursuit.prism"
            path.write_text(text, encoding="ascii")
            program = stormpy.parse_prism_program(str(path))
        properties = stormpy.parse_properties('Pmax=? [F "unsafe"]', program)
        return stormpy.build_model(program, properties)

    return build


def same_model(model: Any, graph: Graph) -> bool:
    """Whether Storm found as many states and transitions; its terminal states have one choice, ours all."""
    spared = (graph.num_joint_actions - 1) * graph.num_terminals
    return (model.nr_states, model.nr_transitions) == (graph.num_states, graph.num_edges - spared)


def quantecon_problem(graph: Graph, player: int, discount: float) -> Any | None:
    """All play for one player, as a ``DiscreteDP``; None if QuantEcon is not installed."""
    ddp = find("quantecon.markov.ddp")
    if ddp is None:
        return None
    from scipy.sparse import csr_matrix

    states, joint = graph.reward.shape[:2]
    law = csr_matrix((graph.probability, graph.target, graph.row_offsets), shape=(states * joint, states))
    pairs = np.repeat(np.arange(states), joint), np.tile(np.arange(joint), states)
    return ddp.DiscreteDP(graph.reward[..., player].reshape(-1), law, discount, *pairs)


def pettingzoo_pursuit(size: int, steps: int, repeats: int) -> Timing | None:
    """A step of PettingZoo's pursuit with one pursuer and one evader: the nearest it has, and another game."""
    module = find("pettingzoo.sisl.pursuit.pursuit")
    if module is None:
        return None
    return _parallel_play(module.parallel_env(x_size=size, y_size=size, n_pursuers=1, n_evaders=1), steps, repeats)


def masa_game(module: str, name: str, steps: int, repeats: int) -> Timing | None:
    """A step of a game of MASA-Safe-RL (github.com/sacktock/MASA-Safe-RL)."""
    found = find(f"masa.envs.multiagent.{module}")
    return None if found is None else _parallel_play(getattr(found, name)(), steps, repeats)


def _parallel_play(world: Any, steps: int, repeats: int) -> Timing:
    """One world of PettingZoo's parallel interface under uniform actions, started again whenever it ends."""
    dice = random.Random(0)
    counts = {agent: int(world.action_space(agent).n) for agent in world.possible_agents}

    def run() -> None:
        world.reset(seed=0)
        for _ in range(steps):
            if not world.agents:
                world.reset()
            world.step({agent: dice.randrange(counts[agent]) for agent in world.agents})

    return measure(run, repeats).per(steps)
