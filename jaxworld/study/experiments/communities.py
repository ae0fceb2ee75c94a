"""Finding: one forum for all against a forum scoped to communities, on planted communities."""

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
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.timestep import TimeStep
from jaxworld.social import Population, SocialConfig, generate_population, make_social
from jaxworld.social.population import GATED_SIZE
from jaxworld.study.experiments.finding import Finding, ends, said
from jaxworld.study.sweep import Arm, SweepProgress, summarise, sweep
from jaxworld.study.sweep.exposure import ExposureFigures, ExposureTally

_HOT = {"forum_preset": "reddit_global", "forum_recommender": "reddit_hot"}
_SCOPED = {"forum_preset": "community_scoped"}
ARMS: Mapping[str, Mapping[str, Any]] = {
    "random": {"forum_preset": "reddit_global", "forum_recommender": "random"},
    "hot": _HOT,
    "scoped": _SCOPED,
    "hot-unseen": {**_HOT, "hide_seen": True},
    "scoped-unseen": {**_SCOPED, "hide_seen": True},
}
"""The forums there are; options of ``make_social``. Those named unseen show nobody the same text twice."""
PAIRS = (("hot", "scoped"), ("hot-unseen", "scoped-unseen"))
"""Forums that differ in scope (and in their order), for all and scoped."""
FIGURES = ("gini", "coverage", "peer_share", "divergence", "own_share")


@dataclasses.dataclass(frozen=True, kw_only=True)
class CommunitiesSettings:
    """Sizes of the study.

    Attributes:
        personas: size of the population.
        communities: how many are planted, of equal size.
        mixing: share of ties led across communities.
        slots: stimuli shown to an awake persona in a tick.
        ticks: hours.
        worlds: seeded worlds of each forum.
        forums: which to run, by name.
        seed: of the population and the worlds.
    """

    QUICK: ClassVar[Mapping[str, Any]] = {"personas": 60, "communities": 3, "ticks": 24, "worlds": 16}

    personas: int = 200
    communities: int = 5
    mixing: float = 0.1
    slots: int = 3
    ticks: int = 72
    worlds: int = 128
    forums: tuple[str, ...] = ("random", "hot", "scoped", "hot-unseen", "scoped-unseen")
    seed: int = 0

    def __post_init__(self) -> None:
        whole("personas", self.personas, 6, 2**17)
        whole("communities", self.communities, 2, self.personas // 3, "use at least 2, of 3 personas or more")
        number("mixing", self.mixing, 0, 1)
        whole("seed", self.seed, 0, 2**62)
        for field in ("slots", "ticks", "worlds"):
            whole(field, getattr(self, field), 1, 2**20)
        known = len(self.forums) > 0 and all(name in ARMS for name in self.forums)
        require(known, "forums", self.forums, f"use some of {', '.join(ARMS)}")


@pytree_dataclass
class CommunityTally:
    """Counts so far.

    Attributes:
        exposure: see :class:`ExposureTally`.
        shown: ``int32[C, S]``, times that texts by personas were shown to members of each community.
        own, peer: ``int32[]``, exposures to what members of the same community, and any personas, wrote.
    """

    exposure: ExposureTally
    shown: jax.Array
    own: jax.Array
    peer: jax.Array


@pytree_dataclass
class CommunityFigures:
    """Concentration of exposure, and how far communities have drifted apart, over all that happened so far.

    Columns: those of :class:`ExposureFigures`, of all stimuli; ``peer_share``, the share of exposures to texts by
    personas; ``divergence``, the Bray-Curtis dissimilarity (Bray and Curtis 1957) between what two communities were
    shown of these texts, over all pairs: 1 - 2 sum min(a, b) / sum (a + b), 0 for the same and 1 for nothing in
    common; ``own_share``, the share of exposures to such texts whose author is of the viewer's community.
    """

    config: SocialConfig = static_field()
    num_communities: int = static_field()
    community: Any

    def init(self, timestep: TimeStep) -> CommunityTally:
        size = (self.num_communities, self.config.stimulus_capacity)
        zero = jnp.zeros((), jnp.int32)
        exposure = self._exposure.init(timestep)
        return CommunityTally(exposure=exposure, shown=jnp.zeros(size, jnp.int32), own=zero, peer=zero)

    def update(
        self, carry: CommunityTally, timestep: TimeStep, action: object
    ) -> tuple[CommunityTally, dict[str, jax.Array]]:
        view = timestep.observation.forum
        member = jnp.broadcast_to(jnp.asarray(self.community)[:, None], view.stimulus.shape)
        by_peer = view.author >= 0
        slot = jnp.where(by_peer, view.stimulus, self.config.stimulus_capacity)
        exposure, _ = self._exposure.update(carry.exposure, timestep, action)
        own = by_peer & (jnp.asarray(self.community)[jnp.maximum(view.author, 0)] == member)
        made = CommunityTally(
            exposure=exposure,
            shown=carry.shown.at[member, slot].add(1, mode="drop"),
            own=carry.own + own.sum(dtype=jnp.int32),
            peer=carry.peer + by_peer.sum(dtype=jnp.int32),
        )
        return made, self.final(made)

    def final(self, carry: CommunityTally) -> dict[str, jax.Array]:
        # In ascending order the least of a column's counts is the smaller in C - 1 pairs, the next in C - 2, ...
        ordered = jnp.sort(carry.shown, axis=0)
        pairs = jnp.arange(self.num_communities - 1, -1, -1, dtype=jnp.int32)
        shared = (ordered.sum(axis=1, dtype=jnp.int32) * pairs).sum(dtype=jnp.int32)
        figures = self._exposure.final(carry.exposure)
        return figures | {"_common": shared, "_own": carry.own, "_peer": carry.peer}

    def host_columns(self, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Form the ratios; 0 where nothing was shown."""
        own = ("_common", "_own", "_peer")
        kept = self._exposure.host_columns({name: part for name, part in columns.items() if name not in own})
        peer = np.maximum(columns["_peer"], 1).astype(np.float64)
        kept["peer_share"] = columns["_peer"] / np.maximum(columns["exposures"], 1).astype(np.float64)
        common = columns["_common"] / (peer * (self.num_communities - 1))
        kept["divergence"] = np.where(columns["_peer"] > 0, 1 - 2 * common, 0.0)
        kept["own_share"] = columns["_own"] / peer
        return kept

    @property
    def _exposure(self) -> ExposureFigures:
        return ExposureFigures(config=self.config)


def run_communities(
    settings: CommunitiesSettings,
    *,
    folder: Path | None = None,
    progress: Callable[[SweepProgress], None] | None = None,
) -> Finding:
    """Run every forum on the same population and seeds.

    Raises:
        CapacityError: if a world needs more room than it has.
    """
    people = generate_population(
        settings.personas, seed=settings.seed, communities="planted", num_communities=settings.communities,
        mixing=settings.mixing, taste_clusters="community", check_gates=settings.personas >= GATED_SIZE,
    ).population  # fmt: skip
    arms = {name: partial(_make_arm, settings, people, name) for name in settings.forums}
    some = _make_arm(settings, people, settings.forums[0])
    reducer = CommunityFigures(
        config=some.world.config, num_communities=settings.communities, community=np.asarray(people.community)
    )
    every = next(step for step in (6, 4, 3, 2, 1) if settings.ticks % step == 0)
    result = sweep(
        arms, seeds=settings.worlds, seed=settings.seed, ticks=settings.ticks, reducer=reducer, every=every,
        out=folder, progress=progress,
    )  # fmt: skip
    return _found(settings, result.rows())


def _make_arm(settings: CommunitiesSettings, people: Population, name: str) -> Arm:
    """A forum with room for some three times what the default personas are expected to write."""
    capacity = int(-(-(64 + 0.05 * settings.personas * settings.ticks) // 64) * 64)
    options: dict[str, Any] = {
        "max_budget": settings.slots,
        "stimulus_capacity": capacity,
        "num_claims": 0,
        **ARMS[name],
    }
    return Arm(make_social(population=people, channels=("forum",), **options), labels={"forum": name})


def _found(settings: CommunitiesSettings, rows: Mapping[str, np.ndarray]) -> Finding:
    summary = summarise(rows, FIGURES)
    last = summary.keys["tick"] == settings.ticks
    table = [
        {"forum": str(summary.keys["forum"][row]), **{name: ends(summary.figures[name], row) for name in FIGURES}}
        for row in np.flatnonzero(last)
    ]
    return Finding(settings, rows, table, _text(settings, table), {"summary": summary})


def _text(settings: CommunitiesSettings, table: list[dict[str, Any]]) -> list[str]:
    by_name = {row["forum"]: row for row in table}
    text = [
        f"{settings.worlds} worlds a forum, {settings.personas} personas in {settings.communities} planted "
        f"communities, {settings.ticks} hourly ticks; figures of everything shown up to the end, 95 % intervals over "
        "worlds."
    ]
    for name, row in by_name.items():
        text.append(
            f"{name}: Gini {said(row['gini'])}. Texts by personas took {100 * row['peer_share']['mean']:.0f} % of "
            f"exposures; of these, communities were shown different ones to {said(row['divergence'])}, and "
            f"{100 * row['own_share']['mean']:.0f} % were by members of the viewer's own community."
        )
    for shared, scoped in PAIRS:
        if shared in by_name and scoped in by_name:
            one, other = by_name[scoped], by_name[shared]
            gini = _compared("concentration", one["gini"], other["gini"])
            apart = _compared("divergence", one["divergence"], other["divergence"])
            text.append(f"{scoped}, against {shared}: {gini} and {apart}.")
    text.append(
        "What the study starts is common ground in a scoped forum: where nothing keeps a text from being shown again, "
        "what all vote on soon fills the slots, and little is left of the scope. What diverges in the random forum is "
        "what chance and few exposures a text make by themselves."
    )
    text.append(
        "It does not show that opinions drift apart: personas have fixed traits and tastes, and what diverges is what "
        "they are shown. The scoped forum also ranks by agreement less age and not by the hot score, so that the two "
        "differ in more than scope. One population was planted; the intervals cover the chance of runs in it. The pair "
        "that shows nobody a text twice was added after the other pair was seen to differ little: not a blind choice."
    )
    return text


def _compared(what: str, one: Mapping[str, float], other: Mapping[str, float]) -> str:
    if one["low"] > other["high"]:
        verb = "raises"
    elif one["high"] < other["low"]:
        verb = "lowers"
    else:
        verb = "does not move, beyond the intervals,"
    return f"{verb} {what} ({said(one)} against {said(other)})"
