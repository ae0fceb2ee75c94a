"""The search: a loop over generations on the host, each of them compiled once."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.random import purpose_key, register_purpose, tick_key, world_key
from jaxworld.metrics.intervals import Interval, mean_interval
from jaxworld.study.search.checkpoint import Checkpoint, CheckpointFolder, tree_from_arrays, tree_to_arrays
from jaxworld.study.search.codec import Identity
from jaxworld.study.search.evaluate import Evaluator, Objective, fitness_of, held_out_seeds, training_seeds
from jaxworld.study.search.fingerprint import fingerprint
from jaxworld.study.search.settings import SearchProgress, SearchSettings
from jaxworld.study.search.shaping import worst_for_invalid
from jaxworld.study.search.strategies import Strategy, check_template

_INIT = register_purpose("search/init")
_ASK = register_purpose("search/ask")
_TELL = register_purpose("search/tell")

HISTORY = ("raw_best", "raw_mean", "raw_spread", "num_invalid")
"""What every generation leaves, of the raw fitness on training worlds; what the strategy says comes on top."""


@dataclasses.dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes:
        policy: the policy that is reported: the strategy's solution after the last generation.
        candidate: the same as the strategy sees it, before the objective's codec.
        score: mean raw score on held-out worlds, with its 95 % interval over worlds.
        held_out: raw score of each held-out world, ``float64[W]``, and their seeds, ``uint64[W]``.
        history: raw fitness of each generation, on training worlds, ``float64[G]`` each, and the strategy's own
            figures.
        curve: ``generation``, ``mean``, ``low``, ``high``: the solution on held-out worlds as the search went on;
            generation 0 is the template.
        settings: what was asked for.
        state: the strategy's last state.
        timing: seconds spent in this session on ``ask``, ``evaluate``, ``tell`` and ``held_out``.
    """

    policy: Any
    candidate: Any
    score: Interval
    held_out: tuple[np.ndarray, np.ndarray]
    history: dict[str, np.ndarray]
    curve: dict[str, np.ndarray]
    settings: SearchSettings
    state: Any
    timing: dict[str, float]


def search(
    objective: Objective,
    template: Any,
    strategy: Strategy,
    settings: SearchSettings | None = None,
    *,
    folder: str | Path | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    devices: list[Any] | None = None,
) -> SearchResult:
    """Search for the candidate with the highest expected score.

    All candidates of a generation meet the same worlds (common random numbers), every generation fresh ones; the
    reported score comes from held-out worlds that no generation can meet. The strategy learns from the raw fitness,
    where a candidate without a finite one ranks last; what it makes of it stays inside it.

    Args:
        objective: scores a candidate in a world, see :func:`~jaxworld.study.search.evaluate.world_objective`.
        template: where the search starts, a pytree of float32 arrays.
        strategy: see :class:`~jaxworld.study.search.strategies.Strategy`.
        settings: budget and seeds.
        folder: keeps checkpoints; a search found there goes on where it stopped, with the same bits.
        progress: called after every generation.
        devices: devices to use, all local ones by default. The number of devices changes no bit of a score.

    Raises:
        ConfigurationError: for a template that cannot be searched, or a folder of something else.
    """
    settings = SearchSettings() if settings is None else settings
    check_template(template)
    run = _Run(objective, jax.tree.map(jnp.asarray, template), strategy, settings, devices)
    checkpoints = None
    if folder is not None:
        checkpoints = CheckpointFolder(folder, run.configuration(), run.summary())
        checkpoints.prepare()
        run.restore(checkpoints.load())
    run.score_solution_if_due()
    while run.generation < settings.generations:
        run.next_generation()
        run.score_solution_if_due()
        last = run.generation == settings.generations
        if checkpoints is not None and (last or run.generation % settings.checkpoint_every == 0):
            checkpoints.save(run.checkpoint())
        if progress is not None:
            progress(run.progress())
    return run.result()


class _Run:
    """A search in progress: the only thing that changes while it goes on."""

    def __init__(
        self, objective: Objective, template: Any, strategy: Strategy, settings: SearchSettings, devices: Any
    ) -> None:
        self._objective, self._template, self._strategy, self._settings = objective, template, strategy, settings
        self._evaluator = Evaluator(objective, block=settings.block, devices=devices)
        self._key = world_key(settings.seed)
        self._ask, self._tell = jax.jit(strategy.ask), jax.jit(strategy.tell)
        self._solution = jax.jit(strategy.solution)
        self._init: Any = jax.jit(strategy.init)
        self._state = self._init(purpose_key(tick_key(self._key, 0), _INIT), template)
        self._held_out_seeds = held_out_seeds(settings.held_out_seed, settings.held_out_worlds)
        self._history: list[dict[str, float]] = []
        self._curve: list[tuple[int, np.ndarray]] = []
        self._began, self._runs, self._first = time.perf_counter(), 0, 0
        self._timing = dict.fromkeys(("ask", "evaluate", "tell", "held_out"), 0.0)
        self.generation = 0

    def configuration(self) -> str:
        """Fingerprint of everything the course of the search depends on, its length and checkpoints not included."""
        settings = dataclasses.asdict(self._settings)
        kept = {name: value for name, value in settings.items() if name not in ("generations", "checkpoint_every")}
        return fingerprint((kept, self._strategy, self._objective, self._template))

    def summary(self) -> dict[str, Any]:
        """A few readable words for the manifest."""
        names = {"strategy": type(self._strategy).__name__, "objective": type(self._objective).__name__}
        return {**names, "settings": dataclasses.asdict(self._settings)}

    def next_generation(self) -> None:
        """Ask, evaluate, tell."""
        key = tick_key(self._key, self.generation + 1)
        seeds = training_seeds(self._settings.seed, self.generation, self._settings.worlds)
        with self._timed("ask"):
            population, state = jax.block_until_ready(self._ask(purpose_key(key, _ASK), self._state))
        with self._timed("evaluate"):
            fitness = fitness_of(self._evaluator.scores(population, seeds))
        with self._timed("tell"):
            told = self._tell(purpose_key(key, _TELL), state, population, worst_for_invalid(jnp.asarray(fitness)))
            self._state, info = jax.block_until_ready(told)
        own = {f"strategy.{name}": float(value) for name, value in info.items()}
        self._history.append({**_raw_figures(fitness), **own})
        self._runs += fitness.size * len(seeds)
        self.generation += 1

    def score_solution_if_due(self) -> None:
        """Score the solution on held-out worlds at the start, the end, and every so often in between."""
        every, last = self._settings.held_out_every, self.generation == self._settings.generations
        due = last or (every > 0 and self.generation % every == 0)
        if due and not any(done == self.generation for done, _ in self._curve):
            with self._timed("held_out"):
                one = jax.tree.map(lambda leaf: leaf[None], self._solution(self._state))
                self._curve.append((self.generation, self._evaluator.scores(one, self._held_out_seeds)[0]))
            self._runs += len(self._held_out_seeds)

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on."""
        columns = sorted(self._history[0]) if self._history else []
        arrays = {f"history.{name}": np.array([row[name] for row in self._history]) for name in columns}
        arrays["curve.generation"] = np.array([done for done, _ in self._curve], np.int64)
        if self._curve:
            arrays["curve.scores"] = np.stack([scores for _, scores in self._curve])
        return Checkpoint(self.generation, {**arrays, **tree_to_arrays("state", self._state)})

    def restore(self, found: Checkpoint | None) -> None:
        """Go on from a checkpoint, if there is one."""
        if found is None:
            return
        done, wanted = found.generation, self._settings.generations
        require(done <= wanted, "generations", wanted, f"the search in this folder has done {done}: use at least that")
        self._state = tree_from_arrays("state", self._state, found.arrays)
        names = [name for name in found.arrays if name.startswith("history.")]
        self._history = [
            {name.removeprefix("history."): float(found.arrays[name][row]) for name in names} for row in range(done)
        ]
        numbers = found.arrays["curve.generation"].tolist()
        scores = found.arrays.get("curve.scores", np.zeros((0, 0)))
        # A longer search may not score where a shorter one ended.
        every = self._settings.held_out_every
        self._curve = [
            (number, row)
            for number, row in zip(numbers, scores, strict=True)
            if number == wanted or (every > 0 and number % every == 0)
        ]
        self.generation = self._first = done

    def progress(self) -> SearchProgress:
        """Where the search stands."""
        row, elapsed = self._history[-1], time.perf_counter() - self._began
        left = self._settings.generations - self.generation
        return SearchProgress(
            generation=self.generation,
            generations=self._settings.generations,
            raw_best=row["raw_best"],
            raw_mean=row["raw_mean"],
            num_invalid=int(row["num_invalid"]),
            held_out=float(self._curve[-1][1].mean()) if self._curve else float("nan"),
            runs=self._runs,
            elapsed_s=elapsed,
            remaining_s=elapsed / max(self.generation - self._first, 1) * left,
        )

    def result(self) -> SearchResult:
        """The solution, with its held-out score.

        Raises:
            ConfigurationError: if the solution has no finite score in some held-out world.
        """
        candidate = self._solution(self._state)
        scores = np.asarray(self._curve[-1][1], np.float64)
        if not np.isfinite(scores).all():
            void = int((~np.isfinite(scores)).sum())
            remedy = f"the solution found has no finite score in {void} of {scores.size} held-out worlds"
            raise ConfigurationError("objective", type(self._objective).__name__, remedy)
        codec = getattr(self._objective, "codec", Identity())
        return SearchResult(
            policy=codec.decode(candidate),
            candidate=candidate,
            score=mean_interval(scores),
            held_out=(scores, self._held_out_seeds),
            history={name: np.array([row[name] for row in self._history]) for name in sorted(self._history[0])},
            curve=_curve_table(self._curve),
            settings=self._settings,
            state=self._state,
            timing=dict(self._timing),
        )

    def _timed(self, part: str) -> _Timed:
        return _Timed(self._timing, part)


class _Timed:
    """Adds the seconds spent inside to an entry."""

    def __init__(self, timing: dict[str, float], part: str) -> None:
        self._timing, self._part, self._began = timing, part, 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *rest: object) -> None:
        self._timing[self._part] += time.perf_counter() - self._began


def _raw_figures(fitness: np.ndarray) -> dict[str, float]:
    """Best, mean and standard deviation of the finite raw fitness, and how many are not finite."""
    finite = np.asarray(fitness, np.float64)[np.isfinite(fitness)]
    nothing = finite.size == 0
    return {
        "raw_best": float("nan") if nothing else float(finite.max()),
        "raw_mean": float("nan") if nothing else float(finite.mean()),
        "raw_spread": float("nan") if nothing else float(finite.std()),
        "num_invalid": float(fitness.size - finite.size),
    }


def _curve_table(curve: list[tuple[int, np.ndarray]]) -> dict[str, np.ndarray]:
    bands = [mean_interval(np.where(np.isfinite(scores), scores, 0.0)) for _, scores in curve]
    defined = [bool(np.isfinite(scores).all()) for _, scores in curve]
    table: dict[str, np.ndarray] = {"generation": np.array([done for done, _ in curve])}
    for end in ("mean", "low", "high"):
        values = [float(getattr(band, end)) if fine else np.nan for band, fine in zip(bands, defined, strict=True)]
        table[end] = np.array(values)
    return table
