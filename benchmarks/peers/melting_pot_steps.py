"""Time the original: ``PYTHON melting_pot_steps.py SUBSTRATE REPEATS`` prints JSON.

PYTHON has dmlab2d and dm-meltingpot (docs/grid_parity.md says how to install them). Random actions, one process, two
ways: every observation computed each step, as the public interface does, and nothing but rewards read.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import random
import statistics
import sys
import time
import types

STEPS = 900


def build(name: str):
    """The environment and its actions, without importing the package's bots, which need TensorFlow."""
    found = importlib.util.find_spec("meltingpot")
    package = types.ModuleType("meltingpot")
    package.__path__ = list(found.submodule_search_locations)
    package.__spec__ = found
    sys.modules["meltingpot"] = package
    builder = importlib.import_module("meltingpot.utils.substrates.builder")
    configs = importlib.import_module("meltingpot.configs.substrates")
    config = configs.get_config(name)
    with config.unlocked():
        config.lab2d_settings = config.lab2d_settings_builder(roles=config.default_player_roles, config=config)
    return builder.builder(config.lab2d_settings, env_seed=1), len(config.default_player_roles), config.action_set


def measure(environment, players: int, action_set, only_rewards: bool) -> tuple[float, float]:
    """Wall and CPU seconds a step over the first 900 steps of an episode, before any can end."""
    rng = random.Random(0)
    environment.reset()
    if only_rewards:
        inner = environment._env
        inner._obs_names = [name for name in inner._obs_names if name.endswith(".REWARD")]
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(STEPS):
        environment.step(
            {
                f"{player}.{part}": value
                for player in range(1, players + 1)
                for part, value in rng.choice(action_set).items()
            }
        )
    return (time.perf_counter() - wall) / STEPS, (time.process_time() - cpu) / STEPS


def main(name: str, repeats: int) -> None:
    """Both ways, as one line of JSON; the engine's own warnings come before it."""
    environment, players, action_set = build(name)
    timed = {}
    for way in ("everything read", "rewards read"):
        runs = [measure(environment, players, action_set, way == "rewards read") for _ in range(repeats)]
        walls, cpus = zip(*runs, strict=True)
        timed[way] = {"wall_s": statistics.median(walls), "cpu_s": statistics.median(cpus)}
    print(json.dumps(timed))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
