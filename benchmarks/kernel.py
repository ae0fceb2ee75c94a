"""The rule on this library's kernel: one world, many worlds on all cores, and each part of a tick alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.floors import Work
from benchmarks.harness import Timing, compile_now, measure
from benchmarks.rule import Case, Posts, content_vectors, make_people, make_posts
from jaxworld.core.pytree import pytree_dataclass, replace, static_field
from jaxworld.core.random import tick_key, world_keys
from jaxworld.core.rollout import RolloutCarry, Trajectory, rollout_chunk, rollout_start
from jaxworld.core.timestep import TimeStep
from jaxworld.social import SocialWorld, make_policy, make_social
from jaxworld.social.activation import draw_active
from jaxworld.social.config import SocialConfig
from jaxworld.social.engagement import add_follows, check_turns, count_engagement, count_replies
from jaxworld.social.exposure import show
from jaxworld.social.params import SocialParams
from jaxworld.social.policies import RuleBasedPolicy, make_traits
from jaxworld.social.population import Population
from jaxworld.social.publication import publish
from jaxworld.social.ranking import Window, rank
from jaxworld.social.recommenders.context import make_context
from jaxworld.social.state import SocialObservation, SocialState, TurnBatch, raise_on_overflow
from jaxworld.social.streams import open_streams
from jaxworld.social.views import make_view
from jaxworld.social.vocabulary import RHYTHMS, Count, Platform, TickUnit
from jaxworld.study import batching

WORD_BYTES = 4


@pytree_dataclass
class ExposureTotals:
    """Reducer: how often each stimulus was shown, ``int32[S]``, and the world's overflow flags."""

    config: SocialConfig = static_field()

    def init(self, timestep: TimeStep) -> tuple[jax.Array, jax.Array]:
        del timestep
        return jnp.zeros(self.config.stimulus_capacity, jnp.int32), jnp.zeros((), jnp.int32)

    def update(self, carry: Any, timestep: TimeStep, action: object) -> tuple[Any, None]:
        del action
        observation = timestep.observation
        view = observation.feed if observation.feed is not None else observation.forum
        slot = jnp.where(view.stimulus >= 0, view.stimulus, self.config.stimulus_capacity)
        return (carry[0].at[slot].add(1, mode="drop"), timestep.info.overflow), None

    def final(self, carry: Any) -> Any:
        return carry


@dataclasses.dataclass(frozen=True)
class Built:
    """A case ready to run: world, parameters, policy, and the people and posts the references start from."""

    case: Case
    world: SocialWorld
    params: SocialParams
    policy: RuleBasedPolicy
    people: Population
    posts: Posts


def build(case: Case) -> Built:
    """World, personas and posts of a case."""
    people, posts = make_people(case), make_posts(case)
    channel: dict[str, Any] = {"channels": ("forum",), "forum_recommender": case.recommender}
    if not case.on_forum:
        channel = {"channels": ("feed",), "feed_recommender": case.recommender}
    world = make_social(
        population=people,
        num_claims=0,
        max_budget=case.budget,
        max_window=case.window,
        window=case.window,
        stimulus_capacity=case.capacity,
        max_publications=case.publications,
        max_follows=1,
        max_followees=1,
        study_vectors=content_vectors(people)[-1:],
        rhythm=np.ones_like(RHYTHMS[TickUnit.HOUR]),
        **channel,
    )
    params = world.default_params()
    chances = {"post": case.post, "approve": case.approve, "dissent": case.dissents}
    nothing = dict.fromkeys(("reply", "follow", "share", "sentiment", "sentiment_spread"), 0.0)
    policy = make_policy(world.config, params, traits=make_traits(case.personas, {**nothing, **chances}))
    return Built(case, world, params, policy, people, posts)


def fill(built: Built, state: SocialState) -> SocialState:
    """The state at tick 0 with the posts of the case in it; slot 0 is the study's own already."""
    posts, config = built.posts, built.world.config
    size = posts.tick.shape[0]
    slots = np.arange(1, size, dtype=np.int32)
    platform = int(Platform.FORUM if config.has_forum else Platform.FEED)
    columns = {
        "tick": posts.tick[1:],
        "author": posts.author[1:],
        "kind": np.full_like(slots, 2),
        "root": slots,
        "depth": np.zeros_like(slots),
        "platform": np.full_like(slots, platform),
        "vector": config.num_study + posts.author[1:],
    }
    stimuli = replace(
        state.stimuli,
        **{name: getattr(state.stimuli, name).at[1:size].set(jnp.asarray(value)) for name, value in columns.items()},
    )
    counts = state.counts.at[1:size, Count.UPVOTES if config.has_forum else Count.LIKES].set(jnp.asarray(posts.ups[1:]))
    counts = counts.at[1:size, Count.DOWNVOTES].set(jnp.asarray(posts.downs[1:]))
    return replace(state, stimuli=stimuli, num_stimuli=jnp.full_like(state.num_stimuli, size), counts=counts)


def start(built: Built, key: jax.Array, params: SocialParams, policy: RuleBasedPolicy, reducer: Any) -> RolloutCarry:
    """Tick 0 of one world with its posts."""
    carry = rollout_start(built.world, policy, key, params, reducer)
    return replace(carry, state=fill(built, carry.state))


def trajectory(built: Built, seed: int = 0) -> tuple[Any, Any]:
    """Every step of one world: its transitions stacked over ticks, and the last observation."""
    key, reducer = world_keys([seed])[0], Trajectory()
    carry = start(built, key, built.params, built.policy, reducer)
    carry, steps = rollout_chunk(built.world, built.policy, key, carry, 1, built.case.ticks, built.params, reducer)
    return steps, carry.reduced


@dataclasses.dataclass(frozen=True)
class KernelResult:
    """Time per world-tick, and wall seconds of compiling once."""

    timing: Timing
    compile_s: float
    exposures: np.ndarray


def _functions(built: Built) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """``begin(key, shared)`` and ``run((key, carry), shared)`` of one world."""
    reducer, ticks = ExposureTotals(config=built.world.config), built.case.ticks

    def begin(key: jax.Array, shared: Any) -> RolloutCarry:
        params, policy = shared
        return start(built, key, params, policy, reducer)

    def run(world: tuple[jax.Array, RolloutCarry], shared: Any) -> Any:
        (key, carry), (params, policy) = world, shared
        carry, _ = rollout_chunk(built.world, policy, key, carry, 1, ticks, params, reducer)
        return carry.reduced

    return begin, run


def time_single(built: Built, repeats: int) -> KernelResult:
    """One world in one compiled scan on one device."""
    begin, run = _functions(built)
    shared = jax.device_put((built.params, built.policy), jax.devices()[0])
    key = world_keys([0])[0]
    carry = jax.jit(begin)(key, shared)
    compiled, seconds = compile_now(jax.jit(run), (key, carry), shared)
    exposures, overflow = compiled((key, carry), shared)
    raise_on_overflow(overflow, built.world.config)
    timing = measure(lambda: compiled((key, carry), shared), repeats)
    return KernelResult(timing.per(built.case.ticks), seconds, np.asarray(exposures))


def plan_batch(case: Case, worlds: int) -> tuple[jax.sharding.Mesh, int, int]:
    """Mesh, block width and number of worlds, rounded up to whole blocks."""
    mesh = batching.world_mesh()
    block = max(1, min(batching.default_block(case.personas), -(-worlds // mesh.size)))
    return mesh, block, batching.padded_worlds(worlds, mesh, block)


def time_batched(built: Built, worlds: int, repeats: int) -> KernelResult:
    """Many worlds in blocks on all devices."""
    mesh, block, worlds = plan_batch(built.case, worlds)
    begin, run = _functions(built)
    shared = batching.replicate((built.params, built.policy), mesh)
    keys = batching.distribute(world_keys(range(worlds)), mesh)
    carry = batching.map_worlds(begin, mesh, block)(keys, shared)
    compiled, seconds = compile_now(batching.map_worlds(run, mesh, block), (keys, carry), shared)
    exposures, overflow = compiled((keys, carry), shared)
    raise_on_overflow(overflow, built.world.config)
    timing = measure(lambda: compiled((keys, carry), shared), repeats)
    return KernelResult(timing.per(worlds * built.case.ticks), seconds, np.asarray(exposures))


def work(case: Case, people: Population) -> dict[str, Work]:
    """What a tick cannot do without: in the kernel's fixed shapes, and if nothing were done for personas asleep.

    Bytes: columns of candidates that the order looks at, what each persona is shown (stimulus, attention, visible
    votes) and its turn, written once and read once. Words: one a persona for waking up; three for a reaction (which
    stimulus, which action, how moved); the ranking's own.
    """
    awake, candidates = case.personas * case.activation, case.posts
    dimensions = int(people.profile.shape[1])
    columns = {"random": 0, "reddit_hot": 3, "twhin": 2, "twitter": 3 + dimensions, "chronological": 1}
    shared_words = 0 if case.recommender == "random" else candidates
    made = {}
    for name, rows in (("fixed shapes", case.personas), ("awake only", awake)):
        persona_words = 3 + (case.budget if case.recommender == "random" else 0)
        moved = candidates * columns[case.recommender] + rows * (2 * (3 * case.budget + 2) + dimensions)
        # Who is near whom: the ties, read once.
        moved += people.neighbor.shape[0] * (rows / case.personas) * (case.recommender == "twitter")
        flops = 2.0 * rows * candidates * dimensions if case.recommender == "twitter" else 0.0
        words = case.personas + rows * persona_words + shared_words
        made[name] = Work(bytes=WORD_BYTES * (moved + 2 * case.personas), words=words, flops=flops)
    return made


# --- Each part of a tick alone ---


@pytree_dataclass
class Moment:
    """What the parts of one tick start from."""

    state: SocialState
    observation: SocialObservation
    turns: TurnBatch
    window: Window
    active: jax.Array


def _moment(built: Built, key: jax.Array, shared: Any) -> Moment:
    """The world after the ticks of the case, and one more tick's intermediate results."""
    params, policy = shared
    reducer, config = ExposureTotals(config=built.world.config), built.world.config
    carry = start(built, key, params, policy, reducer)
    carry, _ = rollout_chunk(built.world, policy, key, carry, 1, built.case.ticks - 1, params, reducer)
    observation = carry.timestep.observation
    turns, _ = policy.act(key, (), observation)
    streams = open_streams(key)
    active = draw_active(config, params, carry.state.tick, streams.activation)
    window = _rank(config, params, carry.state, active, streams)
    nothing = jnp.full_like(window.later_stimulus, -1)  # in a whole tick nobody looks at the slots beyond the budget
    window = replace(window, later_stimulus=nothing, later_reason=nothing)
    return Moment(state=carry.state, observation=observation, turns=turns, window=window, active=active)


def _rank(config: SocialConfig, params: SocialParams, state: SocialState, active: jax.Array, streams: Any) -> Window:
    platform, stream = (Platform.FORUM, streams.forum) if config.has_forum else (Platform.FEED, streams.feed)
    context = make_context(config, platform, params, state, active=active, num_visible=state.num_stimuli)
    return rank(context, state, stream)


def _policy_part(built: Built, key: jax.Array, moment: Moment, shared: Any) -> tuple[Moment, Any]:
    turns, _ = shared[1].act(key, (), moment.observation)
    return moment, (turns.subject, turns.action, turns.valid)


def _activation_part(built: Built, key: jax.Array, moment: Moment, shared: Any) -> tuple[Moment, Any]:
    words = open_streams(key).activation
    return moment, draw_active(built.world.config, shared[0], moment.state.tick, words)


def _turns_part(built: Built, key: jax.Array, moment: Moment, shared: Any) -> tuple[Moment, Any]:
    del key, shared
    config, state = built.world.config, moment.state
    state = replace(state, counts=count_replies(config, state))
    checked = check_turns(config, moment.turns, state.num_stimuli)
    counts, _ = count_engagement(config, state.counts, None, checked)
    state = add_follows(config, replace(state, counts=counts), checked)
    return replace(moment, state=state), state.overflow


def _publication_part(built: Built, key: jax.Array, moment: Moment, shared: Any) -> tuple[Moment, Any]:
    del key, shared
    config, before = built.world.config, moment.state.num_stimuli
    checked = check_turns(config, moment.turns, before)
    state, published = publish(config, moment.state, checked, moment.state.tick)
    return replace(moment, state=replace(state, num_stimuli=before)), published


def _ranking_part(built: Built, key: jax.Array, moment: Moment, shared: Any) -> tuple[Moment, Any]:
    window = _rank(built.world.config, shared[0], moment.state, moment.active, open_streams(key))
    return moment, (window.stimulus, window.length)


def _views_part(built: Built, key: jax.Array, moment: Moment, shared: Any) -> tuple[Moment, Any]:
    del key
    config, state = built.world.config, moment.state
    shown, _ = show(config, shared[0], moment.window, moment.active)
    view = make_view(config, shared[0], state, state.counts, shown)
    return moment, (view.stimulus, view.attention, view.counts)


def _totals_part(built: Built, key: jax.Array, moment: Moment, shared: Any) -> tuple[Moment, Any]:
    del key, shared
    view = moment.observation.forum if built.world.config.has_forum else moment.observation.feed
    assert view is not None
    slot = jnp.where(view.stimulus >= 0, view.stimulus, built.world.config.stimulus_capacity)
    column = moment.state.counts[:, 0].at[slot].add(1, mode="drop")
    return replace(moment, state=replace(moment.state, counts=moment.state.counts.at[:, 0].set(column))), ()


PARTS = {
    "policy": _policy_part,
    "activation": _activation_part,
    "turns": _turns_part,
    "publication": _publication_part,
    "ranking": _ranking_part,
    "views": _views_part,
    "exposure totals": _totals_part,
}


def time_parts(built: Built, worlds: int, repeats: int) -> dict[str, Timing]:
    """Each part of a tick alone, repeated on the same moment of many worlds; indicative, since parts fuse in a tick."""
    mesh, block, worlds = plan_batch(built.case, worlds)
    shared = batching.replicate((built.params, built.policy), mesh)
    keys = batching.distribute(world_keys(range(worlds)), mesh)
    moments = batching.map_worlds(lambda key, given: _moment(built, key, given), mesh, block)(keys, shared)
    timings = {}
    for name, part in PARTS.items():
        compiled = batching.map_worlds(_repeated(built, part), mesh, block).lower((keys, moments), shared).compile()
        timing = measure(partial(compiled, (keys, moments), shared), repeats)
        timings[name] = timing.per(worlds * built.case.ticks)
    return timings


def _repeated(built: Built, part: Callable[..., Any]) -> Callable[..., Any]:
    def run(world: tuple[jax.Array, Moment], shared: Any) -> jax.Array:
        key, moment = world

        def body(carry: tuple[Moment, jax.Array], tick: jax.Array) -> tuple[Any, None]:
            # The barrier ties the inputs to the last repeat, so that no repeat is computed once for all.
            moment, total = lax.optimization_barrier(carry)
            moment, made = part(built, tick_key(key, tick), moment, shared)
            for leaf in jax.tree.leaves(made):
                total = total + leaf.astype(jnp.int32).sum(dtype=jnp.int32)
            return (moment, total), None

        start = (moment, jnp.zeros((), jnp.int32))
        (moment, total), _ = lax.scan(body, start, jnp.arange(built.case.ticks, dtype=jnp.int32))
        # What a part changes has to leave the loop, or it would not be computed.
        return total + moment.state.counts.sum(dtype=jnp.int32) + moment.state.stimuli.author.sum(dtype=jnp.int32)

    return run
