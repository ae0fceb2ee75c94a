"""Time SocialJax's own environments: ``python socialjax_steps.py TREE NAME WORLDS STEPS REPEATS`` prints JSON.

TREE is a working tree of cooperativex/SocialJax. The loop is a scan of its ``step``, which resets by itself, under
random actions, with the observation kept as the loop's carry, as somebody who trains on it would have it.
"""

from __future__ import annotations

import json
import statistics
import sys
import time


def main(tree: str, name: str, worlds: int, steps: int, repeats: int) -> None:
    sys.path.insert(0, tree)
    import jax
    import jax.numpy as jnp
    import socialjax

    env = socialjax.make(name)
    players = len(env.agents)
    actions = env.action_space(env.agents[0]).n if callable(env.action_space) else env.action_space().n
    observation, state = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.PRNGKey(0), worlds))

    def step(carry, key):
        observation, state = carry
        chosen = jax.random.randint(key, (players, worlds), 0, actions)
        keys = jax.random.split(key, worlds)
        observation, state, reward, _, _ = jax.vmap(env.step)(keys, state, list(chosen))
        return (observation, state), jnp.sum(jnp.stack(jax.tree.leaves(reward)))

    def run(carry, key):
        return jax.lax.scan(step, carry, jax.random.split(key, steps))

    began = time.process_time()
    compiled = jax.jit(run).lower((observation, state), jax.random.PRNGKey(1)).compile()
    compile_s = time.process_time() - began
    carry, _ = jax.block_until_ready(compiled((observation, state), jax.random.PRNGKey(1)))
    walls, cpus = [], []
    for repeat in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        jax.block_until_ready(compiled(carry, jax.random.PRNGKey(2 + repeat)))
        cpus.append(time.process_time() - cpu)
        walls.append(time.perf_counter() - wall)
    done = worlds * steps
    shape = jax.tree.leaves(observation)[0].shape[1:]
    print(
        json.dumps(
            {
                "wall_s": statistics.median(walls) / done,
                "cpu_s": statistics.median(cpus) / done,
                "compile_cpu_s": compile_s,
                "observation": [len(jax.tree.leaves(observation)), *shape],
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(int(argument) for argument in sys.argv[3:6]))
