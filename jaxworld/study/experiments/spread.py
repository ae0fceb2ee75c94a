"""Finding: how well a few numbers, fitted to the first minutes of a real cascade, tell the rest of it.

A persona follows whom the data say it follows. The source writes one post; whoever meets the post or somebody's quote
of it may quote it, which shows it to that persona's own followers. Without a recommender nothing else is ever shown.
With one, a persona that has nothing new from those it follows is shown something by others.

At most three numbers are fitted, on the minutes of training alone: how often personas look (``pace``), how likely they
pass on what those they follow wrote (``network``), and what a recommender shows them (``recommended``). All
points of a round meet the same seeds; each round fills a smaller box around the best point.

A curve's error is its root mean squared error over the maximum of the real curve (NRMSE). The prediction is the mean
curve over seeds.
"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.pytree import pytree_dataclass, replace, static_field
from jaxworld.core.random import entity_bits, purpose_keys, register_purpose, unit_interval
from jaxworld.metrics.intervals import mean_interval
from jaxworld.social import Population, SocialConfig, TurnBatch, from_csv_folder, make_social
from jaxworld.social.population import make_population
from jaxworld.social.shares import ShareReducer
from jaxworld.social.state import SocialObservation
from jaxworld.social.vocabulary import Action, Channel, Reason
from jaxworld.study.experiments.finding import Finding, ends
from jaxworld.study.experiments.tuned import TunedParams, TunedWorld
from jaxworld.study.sweep import Arm, Design, SweepProgress, points, sobol, sweep
from jaxworld.study.sweep.cascades import CascadeFigures

CURVES = ("scale", "depth", "max_breadth")
OBSERVED_FILE = "observed.csv"
NO_RECOMMENDER = "follows"
ARMS: Mapping[str, Mapping[str, Any]] = {
    NO_RECOMMENDER: {"feed_recommender": "following_only", "hide_seen": True},
    "follows+random": {"feed_recommender": "following_only+random", "hide_seen": True},
    "follows+large": {"feed_recommender": "following_only+twhin", "hide_seen": True},
    "follows+large-again": {"feed_recommender": "following_only+twhin", "hide_seen": False},
}
"""Feeds by name; options of ``make_social``. What those write whom one follows, and if there is nothing new: nothing;
any text at random; what the accounts with most followers wrote, the source by far; the same, and then nothing keeps a
text from being shown again and again."""
RANGES = {"pace": (0.01, 0.6), "network": (0.2, 1.0), "recommended": (0.0, 0.6)}
_PATHS = {"pace": "world.activation_rate", "network": "policy.network", "recommended": "policy.recommended"}
_LAG = 2
"""Ticks from a minute to the state that holds its shares: the post is written at tick 1, minute 0, and what is shared
upon a view of tick t is counted at t + 1."""
_SHARE = register_purpose("study/spread/share")
_SHRINK = 0.35


@dataclasses.dataclass(frozen=True, kw_only=True)
class SpreadSettings:
    """Data and sizes of the study.

    Attributes:
        data: folder with ``personas.csv`` and ``follows.csv`` (see ``from_csv_folder``) and ``observed.csv`` with the
            columns ``minute``, ``scale``, ``depth`` and ``max_breadth``, from minute 0 on without gaps.
        train: last minute that is fitted.
        predict: how many minutes are predicted, those of training included: minutes 0 to ``predict - 1``.
        points: points of each round of the fit, a power of two.
        rounds: rounds of the fit.
        fit_worlds: seeded worlds of each point.
        worlds: seeded worlds of the prediction, other seeds than those of the fit.
        feeds: feeds to compare, by name, see :data:`ARMS`.
        seed: of designs and worlds.
    """

    QUICK: ClassVar[Mapping[str, Any]] = {"points": 16, "rounds": 2, "fit_worlds": 4, "worlds": 16}

    data: str = ""
    train: int = 30
    predict: int = 150
    points: int = 64
    rounds: int = 3
    fit_worlds: int = 8
    worlds: int = 128
    feeds: tuple[str, ...] = ("follows", "follows+random", "follows+large", "follows+large-again")
    seed: int = 0

    def __post_init__(self) -> None:
        require(bool(self.data), "data", self.data, "name the folder of a cascade with --data")
        require(Path(self.data).is_dir(), "data", self.data, "there is no such folder")
        whole("train", self.train, 1, 2**20)
        whole("seed", self.seed, 0, 2**62)
        whole("predict", self.predict, self.train + 2, 2**20, f"use at least train + 2 = {self.train + 2}")
        power = self.points > 0 and self.points & (self.points - 1) == 0
        require(power, "points", self.points, "use a power of two")
        known = len(self.feeds) > 0 and all(name in ARMS for name in self.feeds)
        require(known, "feeds", self.feeds, f"use some of {', '.join(ARMS)}")
        for field, low in (("rounds", 1), ("fit_worlds", 1), ("worlds", 2)):
            whole(field, getattr(self, field), low, 2**20)


@pytree_dataclass
class PassingOn:
    """Chances to pass on, ``float32[]`` each, by what showed it: somebody followed, or a recommender."""

    network: Any
    recommended: Any


@pytree_dataclass
class Remembered:
    """``chances``, and ``shared``: ``bool[N]``, who has passed it on already."""

    chances: PassingOn
    shared: jax.Array


@pytree_dataclass
class Spreaders:
    """The source posts at tick 0; everybody else may quote, once, the one text by a persona that it is shown.

    Attributes:
        config: the world's configuration, with one slot.
        identity: ``uint32[N, 2]``.
        source: ``int32[]``, the persona who posts.
    """

    config: SocialConfig = static_field()
    identity: Any
    source: Any

    def init(self, key: jax.Array, params: TunedParams) -> Remembered:
        """Nobody but the source has it."""
        del key
        persona = jnp.arange(self.config.num_personas, dtype=jnp.int32)
        return Remembered(chances=params.policy, shared=persona == self.source)

    def act(self, key: jax.Array, carry: Remembered, observation: SocialObservation) -> tuple[TurnBatch, Remembered]:
        """One quote each at most."""
        assert observation.feed is not None
        view, persona = observation.feed, jnp.arange(self.config.num_personas, dtype=jnp.int32)
        words = purpose_keys(key, [_SHARE])[0]
        drawn = unit_interval(entity_bits(words, jnp.asarray(self.identity), 1)[0])
        followed = view.reason[:, 0] == Reason.NETWORK
        chance = jnp.where(followed, carry.chances.network, carry.chances.recommended)
        quotes = (view.author[:, 0] >= 0) & (drawn < chance) & ~carry.shared
        posts = (observation.tick == 0) & (persona == self.source)
        nothing = jnp.full(persona.shape, -1, jnp.int32)
        turns = TurnBatch(
            valid=quotes | posts,
            persona=persona,
            channel=jnp.full(persona.shape, int(Channel.SOCIAL_FEED), jnp.int32),
            subject=jnp.where(quotes, view.stimulus[:, 0], 0),
            action=jnp.where(posts, jnp.int32(Action.POST), jnp.int32(Action.QUOTE)),
            sentiment=jnp.zeros(persona.shape, jnp.int32),
            vector=nothing,
            text=nothing,
        )
        return turns, replace(carry, shared=carry.shared | quotes)


def run_spread(
    settings: SpreadSettings, *, folder: Path | None = None, progress: Callable[[SweepProgress], None] | None = None
) -> Finding:
    """Fit and predict with and without a recommender.

    Raises:
        ConfigurationError: for data that are not as described.
        CapacityError: if a world needs more room than it has.
    """
    real = read_observed(Path(settings.data) / OBSERVED_FILE, settings.predict - 1)
    people, source = read_people(settings.data)
    rows: dict[str, list[np.ndarray]] = {}
    table, predicted, fitted = [], {}, {}
    for name in settings.feeds:
        arm = _make_arm(people, source, ARMS[name])
        place = None if folder is None else Path(folder) / name
        best = fit(settings, arm, real, name, folder=place, progress=progress)
        curves = _run(arm, points([best]), settings, "prediction", settings.predict - 1, place, progress)[0]
        fitted[name], predicted[name] = best, curves
        found = scores(settings, curves.mean(axis=0), real, curves)
        table.append({"predictor": f"model: {name}", **_parameters(best), **found})
        for column, values in _rows(name, curves).items():
            rows.setdefault(column, []).append(values)
    table += [
        {"predictor": name, **_parameters({}), **scores(settings, curve, real)}
        for name, curve in baselines(real, settings.train).items()
    ]
    cap = reachable(np.asarray(people.follows), source)
    content = {name: np.concatenate(parts) for name, parts in rows.items()}
    drawn = {"real": real, "predicted": predicted, "cap": cap}
    return Finding(settings, content, table, _text(settings, table, real, predicted, cap), drawn)


def read_observed(path: Path, last: int) -> np.ndarray:
    """The real curves ``float64[3, last + 1]`` in the order of :data:`CURVES`.

    Raises:
        ConfigurationError: if the file is missing, malformed, or too short.
    """
    require(path.is_file(), "data", str(path), "there is no such file")
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    try:
        table = np.asarray([[int(line[name]) for name in ("minute", *CURVES)] for line in lines], np.int64)
    except (KeyError, TypeError, ValueError):
        raise ConfigurationError("data", str(path), f"use whole numbers under minute, {', '.join(CURVES)}") from None
    complete = len(table) > last and bool((table[:, 0] == np.arange(len(table))).all())
    require(complete, "data", str(path), f"give every minute from 0 to {last} at least")
    return table[: last + 1, 1:].T.astype(np.float64)


def read_people(data: str) -> tuple[Population, int]:
    """Personas with the follows of the data and no other ties, and the source: who is followed most.

    The rhythm by hour of day is left out, since the hour at which the cascade began is not in the data.
    """
    built = from_csv_folder(data)
    given = built.population
    people = make_population(
        list(built.report.persona_ids), follows=given.follows, followers=given.followers, involvement=given.involvement
    )
    source = int(np.bincount(np.asarray(people.follows)[:, 1], minlength=people.num_personas).argmax())
    return people, source


def reachable(follows: np.ndarray, source: int) -> int:
    """How many personas a text can reach along follows, its author included: the cap without a recommender."""
    reached, fresh = {source}, {source}
    while fresh:
        fresh = {int(a) for a, b in follows.tolist() if b in fresh} - reached
        reached |= fresh
    return len(reached)


def fit(
    settings: SpreadSettings,
    arm: Arm,
    real: np.ndarray,
    name: str,
    *,
    folder: Path | None = None,
    progress: Callable[[SweepProgress], None] | None = None,
) -> dict[str, float]:
    """The point with the least mean error of the three curves over the minutes of training.

    Only ``real[:, : train + 1]`` is read.
    """
    seen = real[:, : settings.train + 1]
    free = {key: ends for key, ends in RANGES.items() if key != "recommended" or name != NO_RECOMMENDER}
    box, best, least = dict(free), {}, np.inf
    for number in range(settings.rounds):
        design = sobol(box, settings.points, seed=settings.seed + number)
        rounds = [{key: float(values[row]) for key, values in design.columns.items()} for row in range(settings.points)]
        curves = _run(arm, points(rounds), settings, f"round-{number}", settings.train, folder, progress)
        errors = nrmse(curves.mean(axis=1), seen).mean(axis=1)
        if errors.min() < least:
            least, best = float(errors.min()), rounds[int(errors.argmin())]
        box = {key: _around(best[key], free[key], _SHRINK ** (number + 1)) for key in free}
    return best


def nrmse(curves: np.ndarray, real: np.ndarray) -> np.ndarray:
    """Root mean squared error over the last axis, divided by the maximum of the real curve: ``float64[...]``."""
    return np.asarray(np.sqrt(((curves - real) ** 2).mean(axis=-1)) / real.max(axis=-1))


def baselines(real: np.ndarray, train: int) -> dict[str, np.ndarray]:
    """Trivial predictors of curves ``[3, T]``. The first three know the future."""
    last, steps = real[:, -1:], real.shape[1]
    line = np.linspace(0.0, 1.0, steps)[None, :]
    return {
        "mean of the real curve": np.broadcast_to(real.mean(axis=1, keepdims=True), real.shape),
        "final value at once": np.broadcast_to(last, real.shape),
        "straight line": real[:, :1] + (last - real[:, :1]) * line,
        "never spreads": np.broadcast_to(real[:, :1], real.shape),
        f"real until minute {train}, then as it was": np.where(
            np.arange(steps)[None, :] <= train, real, real[:, train : train + 1]
        ),
    }


def scores(
    settings: SpreadSettings, curve: np.ndarray, real: np.ndarray, runs: np.ndarray | None = None
) -> dict[str, Any]:
    """Errors of a predictor of the three curves: over all minutes, and over those after training alone."""
    made: dict[str, Any] = dict(zip(CURVES, nrmse(curve, real).tolist(), strict=True))
    trained = slice(0, settings.train + 1)
    made["train"] = float(nrmse(curve[:, trained], real[:, trained]).mean())
    future = np.sqrt(((curve - real)[:, settings.train + 1 :] ** 2).mean(axis=-1)) / real.max(axis=-1)
    made |= {f"{name}_after": value for name, value in zip(CURVES, future.tolist(), strict=True)}
    single = None if runs is None else mean_interval(nrmse(runs, real).mean(axis=1))
    return made | {"single_run": None if single is None else ends(single)}


def _around(centre: float, limits: tuple[float, float], share: float) -> tuple[float, float]:
    half = share * (limits[1] - limits[0]) / 2
    return max(limits[0], centre - half), min(limits[1], centre + half)


def _make_arm(people: Population, source: int, options: Mapping[str, Any]) -> Arm:
    size = people.num_personas
    world = make_social(
        population=people, channels=("feed",), fan="log_followers", num_claims=0, max_budget=1, max_window=1,
        hide_own=True, **options, rhythm=np.ones(24), epsilon=0.0,
        stimulus_capacity=size + 2, max_publications=size, max_follows=1,
    )  # fmt: skip
    chances = PassingOn(network=np.float32(1), recommended=np.float32(0))
    policy = Spreaders(config=world.config, identity=np.asarray(people.identity), source=np.int32(source))
    return Arm(TunedWorld(world), params=TunedParams(world=world.default_params(), policy=chances), policy=policy)


def _run(
    arm: Arm,
    design: Design,
    settings: SpreadSettings,
    what: str,
    last: int,
    folder: Path | None,
    progress: Callable[[SweepProgress], None] | None,
) -> np.ndarray:
    """Curves ``float64[points, worlds, 3, last + 1]``, minute by minute."""
    assert isinstance(arm.world, TunedWorld)
    config: SocialConfig = arm.world.world.config
    worlds = settings.worlds if what == "prediction" else settings.fit_worlds
    named = Design({_PATHS[key]: values for key, values in design.columns.items()}, design.num_points, design.kind)
    # The source's post is the first text after the study's own.
    shares = ShareReducer(config=config, roots=np.asarray([config.num_study], np.int32))
    # Another seed for the prediction, so that it does not meet the chances it was fitted to.
    seed = settings.seed + (2**32 if what == "prediction" else 0)
    rows = sweep(
        {what: partial(dataclasses.replace, arm)}, named, seeds=worlds, seed=seed, ticks=last + _LAG, every=1,
        reducer=CascadeFigures(shares=shares), out=None if folder is None else folder / what, progress=progress,
    ).rows()  # fmt: skip
    shape = (design.num_points, worlds, last + _LAG)
    curves = np.stack([rows[name].reshape(shape) for name in CURVES], axis=2)
    return np.asarray(curves[..., _LAG - 1 :], np.float64)


def _parameters(found: Mapping[str, float]) -> dict[str, float | None]:
    return {key: found.get(key) for key in RANGES}


def _rows(name: str, curves: np.ndarray) -> dict[str, np.ndarray]:
    worlds, _, minutes = curves.shape
    return {
        "arm": np.full(worlds * minutes, name),
        "world": np.repeat(np.arange(worlds, dtype=np.int32), minutes),
        "minute": np.tile(np.arange(minutes, dtype=np.int32), worlds),
        **{column: curves[:, index].reshape(-1).astype(np.int32) for index, column in enumerate(CURVES)},
    }


def _text(
    settings: SpreadSettings,
    table: list[dict[str, Any]],
    real: np.ndarray,
    predicted: Mapping[str, np.ndarray],
    cap: int,
) -> list[str]:
    end = settings.predict - 1
    text = [
        f"At most three numbers fitted on minutes 0 to {settings.train} ({settings.rounds} rounds of {settings.points} "
        f"points, {settings.fit_worlds} worlds each), {settings.worlds} other worlds predicted to minute {end}. Errors "
        f"are NRMSE over minutes 0 to {end}, of the mean curve; 'after': over the minutes after training alone."
    ]
    text.append(
        f"Along follows the source's post can reach {cap} personas. The real cascade has {real[0, -1]:.0f} by minute "
        f"{end}, so {max(real[0, -1] - cap, 0):.0f} at least had it from elsewhere."
    )
    if NO_RECOMMENDER in predicted:
        text[-1] += f" Without a recommender no run passed {predicted[NO_RECOMMENDER][:, 0].max():.0f}."
    trivial = table[len(predicted) :]
    for name, row in zip(predicted, table, strict=False):
        beaten = [
            f"{sum(row[curve] < other[curve] for other in trivial)} of {len(trivial)} in {curve}" for curve in CURVES
        ]
        final = mean_interval(predicted[name][:, 0, -1])
        text.append(
            f"{name}: error {row['scale']:.3f} in scale, {row['depth']:.3f} in depth and "
            f"{row['max_breadth']:.3f} in breadth; trivial predictors beaten: {', '.join(beaten)}. Predicted scale at "
            f"minute {end}: {float(final.mean):.1f} (real {real[0, -1]:.0f})."
        )
    chosen = min(table[: len(predicted)], key=lambda row: float(row["train"]))
    text.append(f"The least error on the minutes of training alone has: {chosen['predictor']} ({chosen['train']:.3f}).")
    text.append(
        "The first three trivial predictors know the future of the real curve. The last one is the real curve while "
        "the model is being fitted, so it compares by the columns 'after' alone."
    )
    text.append(
        "The feeds to compare were chosen by authors who knew the whole curve; the numbers were fitted without it."
    )
    text.append(
        "It does not show how posts spread in general: this is one cascade, of accounts that were collected because "
        "most of them took part in it. Whom a persona really had it from is not in the data, so depth and breadth "
        "rest on the rule that it is the author of what was shown."
    )
    return text
