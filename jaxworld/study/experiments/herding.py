"""Finding: what one vote at the start does to the score an item ends with.

The design is that of the field experiment of Muchnik, Aral and Taylor (2013), "Social influence bias: a randomized
experiment", Science 341: items are given one up vote, one down vote or none before anybody has seen them.

The rule: the *surplus* of a treatment is the mean final score of the items treated up (down) less that of the
untreated items of the same world, less the vote that was given (+1 or -1). No influence at all leaves 0. Scores are up
votes minus down votes, the given vote included. The interval is Student's t over worlds, each of which gives one
number; the *relative* effect is the difference in mean scores, given vote included, over the mean untreated score,
with an interval by linearisation of the ratio over worlds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require
from jaxworld.core.ordering import lexicographic_order, tie_limb
from jaxworld.core.pytree import pytree_dataclass, replace, static_field
from jaxworld.core.random import entity_bits, index_identity, purpose_keys, register_purpose
from jaxworld.core.timestep import TimeStep
from jaxworld.metrics.intervals import Interval, mean_interval
from jaxworld.social import RuleBasedPolicy, TurnBatch, make_policy, make_social, make_traits
from jaxworld.social.policies import PROBABILITY_UNIT
from jaxworld.social.state import SocialObservation
from jaxworld.social.vocabulary import Action
from jaxworld.study.experiments.finding import Finding, ends, said
from jaxworld.study.experiments.tuned import TunedParams, TunedWorld
from jaxworld.study.sweep import Arm, SweepProgress, grid, sweep

TREATMENTS = ("none", "up", "down")
GIVEN = {"up": 1, "down": -1}
PUBLISHED = (
    {
        "source": "people: Muchnik, Aral and Taylor 2013 (Science 341, 647-651), 101,281 comments",
        "relative_up": 0.25,
        "down": "corrected: no different from untreated in the end",
    },
    {
        "source": "language models: bar chart 'business' of camel-ai/oasis, read off: down -0.29, none 1.64, up 3.65",
        "surplus_up": 3.65 - 1.64 - 1,
        "surplus_down": -0.29 - 1.64 + 1,
        "relative_up": 3.65 / 1.64 - 1,
        "down": "followed, not corrected",
    },
)
"""Published figures. The second are means of 2,720, 2,673 and 2,650 comments, read off a chart to about 0.02."""
_TREAT = register_purpose("study/herding/treatment")


@dataclasses.dataclass(frozen=True, kw_only=True)
class HerdingSettings:
    """Sizes of the study.

    Attributes:
        personas: voters of a world.
        items: treated items, a third each; at most as many as there are voters.
        slots: items shown to an awake voter in a tick; one of them is voted on or passed over.
        conformity: how strongly a score sways a voter, per doubling of its net votes; negative is against it.
        rankings: orders of the forum, ``random`` or ``reddit_hot``.
        ticks: hours.
        worlds: seeded worlds of each ranking and conformity.
        seed: of the population, the treatments and the worlds.
    """

    QUICK: ClassVar[Mapping[str, Any]] = {
        "personas": 60, "items": 30, "conformity": (0.0, 0.08), "ticks": 24, "worlds": 32,
    }  # fmt: skip

    personas: int = 120
    items: int = 60
    slots: int = 3
    conformity: tuple[float, ...] = (-0.04, 0.0, 0.02, 0.04, 0.08)
    rankings: tuple[str, ...] = ("random", "reddit_hot")
    ticks: int = 48
    worlds: int = 256
    seed: int = 0

    def __post_init__(self) -> None:
        whole("personas", self.personas, 3, 2**17)
        whole("items", self.items, 3, self.personas, f"use from 3 to personas = {self.personas}")
        require(self.items % 3 == 0, "items", self.items, "use a multiple of 3, one third for each treatment")
        for field, low in (("slots", 1), ("ticks", 2), ("worlds", 2)):
            whole(field, getattr(self, field), low, 2**20)
        for value in self.conformity:
            number("conformity", value, -1, 1)
        whole("seed", self.seed, 0, 2**62)
        for field in ("conformity", "rankings"):
            values = getattr(self, field)
            require(len(values) > 0 and len(set(values)) == len(values), field, values, "name each once")


@pytree_dataclass
class Sway:
    """``conformity``: ``int32[]``, of every voter, in 1/65,536."""

    conformity: Any


@pytree_dataclass
class TreatedVoters:
    """Rule-based voters; at tick 0, when they have seen nothing, voter i casts the vote that item i is treated with.

    Attributes:
        voters: who they are.
        items: how many items there are, stimuli 1 to ``items``.
    """

    voters: RuleBasedPolicy
    items: int = static_field()

    def init(self, key: jax.Array, params: TunedParams) -> Sway:
        """Keeps how much scores sway voters."""
        del key
        return params.policy  # type: ignore[no-any-return]

    def act(self, key: jax.Array, carry: Sway, observation: SocialObservation) -> tuple[TurnBatch, Sway]:
        """Votes on what is shown, or the treatment."""
        traits = self.voters.traits
        swayed = replace(traits, conformity=jnp.broadcast_to(carry.conformity, traits.approve.shape))
        turns, _ = replace(self.voters, traits=swayed).act(key, (), observation)
        row = jnp.arange(turns.persona.shape[0], dtype=jnp.int32)
        treatment = jnp.zeros(row.shape, jnp.int32).at[: self.items].set(self.assign(key))
        first = observation.tick == 0
        vote = jnp.where(treatment == 1, jnp.int32(Action.UPVOTE), jnp.int32(Action.DOWNVOTE))
        treated = replace(
            turns,
            valid=jnp.where(first, treatment > 0, turns.valid),
            subject=jnp.where(first & (row < self.items), row + 1, turns.subject),
            action=jnp.where(first, vote, turns.action),
        )
        return treated, carry

    def assign(self, key: jax.Array) -> jax.Array:
        """``int32[items]``: a third of the items at random for each of :data:`TREATMENTS`."""
        words = purpose_keys(key, [_TREAT])[0]
        item = jnp.arange(self.items, dtype=jnp.int32)
        order = lexicographic_order([tie_limb(entity_bits(words, index_identity(item), 1)[0])])
        return jnp.zeros(self.items, jnp.int32).at[order].set(item * 3 // self.items)


@pytree_dataclass
class Votes:
    """Votes on each item, ``int32[items]`` each: how it was treated, and those up and down so far."""

    treatment: jax.Array
    up: jax.Array
    down: jax.Array


@pytree_dataclass
class VoteTally:
    """Counts the votes on items by treatment: columns ``score_*``, ``up_*``, ``down_*``, means per item."""

    items: int = static_field()

    def init(self, timestep: TimeStep) -> Votes:
        del timestep
        nothing = jnp.zeros(self.items, jnp.int32)
        return Votes(treatment=nothing, up=nothing, down=nothing)

    def update(self, carry: Votes, timestep: TimeStep, action: TurnBatch) -> tuple[Votes, dict[str, jax.Array]]:
        item = jnp.where(action.valid & (action.subject >= 1), action.subject - 1, self.items)
        up = jnp.where(action.action == Action.UPVOTE, item, self.items)
        down = jnp.where(action.action == Action.DOWNVOTE, item, self.items)
        made = Votes(
            treatment=carry.treatment,
            up=carry.up.at[up].add(1, mode="drop"),
            down=carry.down.at[down].add(1, mode="drop"),
        )
        # The first votes are the treatment.
        treated = jnp.where(made.up > 0, 1, jnp.where(made.down > 0, 2, 0))
        made = replace(made, treatment=jnp.where(timestep.observation.tick == 1, treated, carry.treatment))
        return made, self.final(made)

    def final(self, carry: Votes) -> dict[str, jax.Array]:
        figures = {}
        for code, name in enumerate(TREATMENTS):
            mine = (carry.treatment == code).astype(jnp.int32)
            for column, votes in (("up", carry.up), ("down", carry.down)):
                figures[f"_{column}_{name}"] = (mine * votes).sum(dtype=jnp.int32)
            figures[f"items_{name}"] = mine.sum(dtype=jnp.int32)
        return figures

    def host_columns(self, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Means per item, in float64."""
        kept = {name: values for name, values in columns.items() if not name.startswith("_")}
        for name in TREATMENTS:
            many = np.maximum(columns[f"items_{name}"], 1).astype(np.float64)
            up, down = columns[f"_up_{name}"] / many, columns[f"_down_{name}"] / many
            kept |= {f"score_{name}": up - down, f"up_{name}": up, f"down_{name}": down}
        return kept


def run_herding(
    settings: HerdingSettings, *, folder: Path | None = None, progress: Callable[[SweepProgress], None] | None = None
) -> Finding:
    """Run every ranking and conformity on the same seeds and treatments.

    Raises:
        CapacityError: if a world needs more room than it has.
    """
    arms = {ranking: partial(_make_arm, settings, ranking) for ranking in settings.rankings}
    sway = [round(value * PROBABILITY_UNIT) for value in settings.conformity]
    every = next(step for step in (4, 3, 2, 1) if settings.ticks % step == 0)
    result = sweep(
        arms, grid({"policy.conformity": sway}), seeds=settings.worlds, seed=settings.seed, ticks=settings.ticks,
        reducer=VoteTally(items=settings.items), every=every, out=folder, progress=progress,
    )  # fmt: skip
    rows = result.rows()
    rows["conformity"] = np.asarray(settings.conformity)[rows["point"]]
    table = [
        {"ranking": ranking, "conformity": value, **effects(_cell(rows, ranking, point, settings.ticks))}
        for ranking in settings.rankings
        for point, value in enumerate(settings.conformity)
    ]
    curves = {
        ranking: [_curve(rows, ranking, point) for point in range(len(settings.conformity))]
        for ranking in settings.rankings
    }
    return Finding(settings, rows, table, _text(settings, table), {"curves": curves, "published": PUBLISHED})


def _make_arm(settings: HerdingSettings, ranking: str) -> Arm:
    world = make_social(
        num_personas=settings.personas, seed=settings.seed, channels=("forum",), forum_recommender=ranking,
        num_claims=settings.items, stimulus_capacity=settings.items + 2, max_publications=1,
        max_budget=settings.slots,
    )  # fmt: skip
    params = world.default_params()
    traits = make_traits(settings.personas, {"post": 0.0, "reply": 0.0, "follow": 0.0, "share": 0.0})
    voters = make_policy(world.config, params, traits=traits)
    tuned = TunedParams(world=params, policy=Sway(conformity=np.int32(0)))
    policy = TreatedVoters(voters=voters, items=settings.items)
    return Arm(TunedWorld(world), params=tuned, policy=policy, labels={"ranking": ranking})


def effects(scores: Mapping[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """What the treatments did.

    Args:
        scores: by treatment, mean final score of a world's items, ``float64[worlds]``.

    Returns:
        Intervals ``score_none``, ``surplus_up``, ``surplus_down``, ``relative_up`` and ``relative_down``, by the rule
        of this module.
    """
    untreated = np.asarray(scores["none"], np.float64)
    made = {"score_none": ends(mean_interval(untreated))}
    gained = {name: np.asarray(scores[name], np.float64) - untreated for name in GIVEN}
    made |= {f"surplus_{name}": ends(mean_interval(gained[name] - vote)) for name, vote in GIVEN.items()}
    return made | {f"relative_{name}": ends(ratio_interval(gained[name], untreated)) for name in GIVEN}


def ratio_interval(above: np.ndarray, below: np.ndarray) -> Interval:
    """Ratio of two means over worlds, ``float64[worlds]`` each, with the interval of its linearisation.

    NaN where the mean below is 0 or negative, since a share of nothing has no meaning.
    """
    base = float(below.mean())
    if base <= 0:
        return Interval(*(np.asarray(np.nan),) * 3)
    ratio = float(above.mean()) / base
    spread = mean_interval((above - ratio * below) / base)
    return Interval(np.asarray(ratio), ratio + spread.low - spread.mean, ratio + spread.high - spread.mean)


def _cell(rows: Mapping[str, np.ndarray], ranking: str, point: int, tick: int) -> dict[str, np.ndarray]:
    mine = (rows["ranking"] == ranking) & (rows["point"] == point) & (rows["tick"] == tick)
    return {name: rows[f"score_{name}"][mine] for name in TREATMENTS}


def _curve(rows: Mapping[str, np.ndarray], ranking: str, point: int) -> dict[str, np.ndarray]:
    """Surpluses over time: ``tick``, and ``up`` and ``down`` as ``[3, ticks]`` of mean, low and high."""
    ticks = np.unique(rows["tick"])
    found = [effects(_cell(rows, ranking, point, tick)) for tick in ticks.tolist()]
    bands = {
        name: np.asarray([[step[f"surplus_{name}"][end] for step in found] for end in ("mean", "low", "high")])
        for name in GIVEN
    }
    return {"tick": ticks, **bands}


def _text(settings: HerdingSettings, table: list[dict[str, Any]]) -> list[str]:
    third = settings.items // 3
    text = [
        f"{settings.worlds} worlds a row, each with {third} items treated up, {third} down and {third} left alone; "
        f"{settings.personas} voters, {settings.ticks} hourly ticks. Surplus: mean score of the treated less that of "
        "the untreated, less the vote given; 95 % intervals over worlds."
    ]
    for row in table:
        up, down = row["surplus_up"], row["surplus_down"]
        text.append(
            f"{row['ranking']}, conformity {row['conformity']:g}: untreated items end at {said(row['score_none'], 2)}. "
            f"Surplus of the up vote {said(up, 2)} ({_verdict(up, 1)}), of the down vote {said(down, 2)} "
            f"({_verdict(down, -1)})."
        )
    near = min(table, key=lambda row: _distance(row, PUBLISHED[1]))
    text.append(
        f"Nearest to the surpluses of the language models: {near['ranking']}, conformity {near['conformity']:g}. No "
        "row has what people did, an up vote followed and a down vote corrected."
        if not any(_as_people(row) for row in table)
        else "Some rows have what people did, an up vote followed and a down vote corrected."
    )
    text += [f"Published, {entry['source']}: {_published(entry)}." for entry in PUBLISHED]
    text.append(
        "It does not show that people herd: conformity is put in. It shows what a given strength of it amounts to in "
        "scores, through the judgement of voters and through the ranking. The rule treats signs alike but for the "
        "floor of a chance at 0, so it cannot correct down votes while following up votes, as people did. Under the "
        "hot score net scores of -1, 0 and 1 rank alike: one vote moves no rank by itself, but it leaves an item "
        "one vote nearer to, or farther from, the second, which does. The relative figures count the vote given, so "
        "they are not 0 where nobody is influenced."
    )
    return text


def _distance(row: Mapping[str, Any], published: Mapping[str, Any]) -> float:
    return float(sum(abs(row[f"surplus_{name}"]["mean"] - published[f"surplus_{name}"]) for name in GIVEN))


def _as_people(row: Mapping[str, Any]) -> bool:
    return bool(row["surplus_up"]["low"] > 0 and row["surplus_down"]["low"] > 0)


def _verdict(band: Mapping[str, float], sign: int) -> str:
    if band["low"] <= 0 <= band["high"]:
        return "no influence to be seen"
    return "followed" if band["mean"] * sign > 0 else "countered"


def _published(entry: Mapping[str, Any]) -> str:
    parts = [f"up {entry['relative_up']:+.0%} against untreated"]
    if "surplus_up" in entry:
        parts.append(f"surplus {entry['surplus_up']:+.2f} up and {entry['surplus_down']:+.2f} down")
    return ", ".join([*parts, f"down {entry['down']}"])
