"""One commons turn by turn: who took what, who broke which pact, and what was said.

The agents that come with the commons sign and keep pacts but offer none and write nothing, so a script does that: one
player offers a pact now and then, keepers accuse whoever broke one, and who reads a low stock warns. A player of the
roster that keeps no pacts may still sign, and break, what it signed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons import CommonsAction, Roster, RosterPolicy, make_commons, make_roster
from jaxworld.commons.governance import EVERYONE, NOBODY, Message, PactStatus, letter_to, sustainable_cap
from jaxworld.commons.observation import STOCK
from jaxworld.commons.state import CommonsObservation
from jaxworld.core.checks import number, whole
from jaxworld.core.pytree import pytree_dataclass, replace, static_field
from jaxworld.core.random import world_key
from jaxworld.core.rollout import rollout
from jaxworld.core.timestep import TimeStep
from jaxworld.study.experiments.finding import Finding
from jaxworld.study.sweep import SweepProgress

_DELAY = 3
"""Turns from an offer to its start: the next two are there to sign."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class TimelineSettings:
    """What is played.

    Attributes:
        roster: kinds of the players; the first one offers pacts.
        signs: kinds that sign every offer, whatever they do then; ``pact_keeper`` decides for itself.
        cap_share: of an equal part of the maximum sustainable yield, which a pact leaves each signatory.
        pact_turns: turns that a pact binds; it is offered again when it ends.
        sanction: ``none``, ``fine``, ``graduated`` or ``exclusion``.
        fine: on a unit above the cap, where the sanction is a fine.
        warn_below: stock, as a share of capacity, below which a reader warns.
        noise: on the reading of the stock.
        regrowth, harvest_cap: of the commons.
        turns: length of the run.
        seed: of the world.
    """

    QUICK: ClassVar[Mapping[str, Any]] = {"turns": 30}

    roster: tuple[str, ...] = ("pact_keeper", "pact_keeper", "pact_keeper", "rep_conditional", "tit_for_tat", "pulse")
    signs: tuple[str, ...] = ("rep_conditional", "pulse")
    cap_share: float = 0.8
    pact_turns: int = 15
    sanction: str = "none"
    fine: float = 1.0
    warn_below: float = 0.3
    noise: float = 0.2
    regrowth: float = 0.4
    harvest_cap: float = 0.05
    turns: int = 60
    seed: int = 0

    def __post_init__(self) -> None:
        Roster(*self.roster)
        if self.signs:
            Roster(*self.signs)
        number("cap_share", self.cap_share, 0.0, 10.0)
        number("fine", self.fine, 0.0, 1e6)
        number("warn_below", self.warn_below, 0.0, 1.0)
        whole("pact_turns", self.pact_turns, 1, 2**20)
        whole("turns", self.turns, 1, 10_000)


@pytree_dataclass
class Script:
    """Players of a roster with a script for what they offer, sign and write.

    Attributes:
        players: the roster.
        every: turns from one offer to the next (static).
        duration: turns a pact binds (static).
        cap, fine: ``float32[]``, of the pacts.
        low: ``float32[]``, stock below which a reader warns.
        signs: ``bool[N]``, who signs everything.
        accuses: ``bool[N]``, who writes to all when a pact was broken.
    """

    players: RosterPolicy
    every: int = static_field()
    duration: int = static_field()
    cap: jax.Array
    fine: jax.Array
    low: jax.Array
    signs: jax.Array
    accuses: jax.Array

    def init(self, key: jax.Array, params: Any) -> tuple[Any, jax.Array]:
        """The players' memories, and how often each player has been seen to break a pact."""
        size = self.signs.shape[0]
        return self.players.init(key, params), jnp.zeros(size, jnp.int32)

    def act(
        self, key: jax.Array, carry: tuple[Any, jax.Array], observation: CommonsObservation
    ) -> tuple[CommonsAction, tuple[Any, jax.Array]]:
        """What the roster asks for, with offers, signatures and letters."""
        memory, known = carry
        action, memory = self.players.act(key, memory, observation)
        pacts = observation.governance.pacts
        broken = pacts.violations.max(axis=0).sum(axis=0, dtype=jnp.int32)
        offers = observation.turn % np.int32(self.every) == 0
        open_to = (pacts.status == np.int32(PactStatus.OFFERED)) & ~pacts.signed & self.signs[:, None]
        governance = replace(
            action.governance,
            offers=self._offer(action.governance.offers, offers),
            accept=action.governance.accept | open_to,
            letters=self._letters(observation, offers, broken > known),
        )
        return replace(action, governance=governance), (memory, broken)

    def _offer(self, none: Any, now: jax.Array) -> Any:
        size = self.signs.shape[0]
        first = jnp.arange(size, dtype=jnp.int32) == 0
        return replace(
            none,
            make=first & now,
            cap=jnp.broadcast_to(self.cap, (size,)),
            delay=jnp.full(size, _DELAY, jnp.int32),
            duration=jnp.full(size, self.duration, jnp.int32),
            open_turns=jnp.full(size, _DELAY, jnp.int32),
            min_signatures=jnp.full(size, 2, jnp.int32),
            fine=jnp.broadcast_to(self.fine, (size,)),
            invited=jnp.ones((size, size), bool),
        )

    def _letters(self, observation: CommonsObservation, offers: jax.Array, guilty: jax.Array) -> Any:
        """To everyone: the offer comes before an accusation, and that before a warning."""
        size = self.signs.shape[0]
        first = jnp.arange(size, dtype=jnp.int32) == 0
        seen = observation.delivered[STOCK]
        choices = (
            (first & offers, Message.PROPOSE_CAP, jnp.broadcast_to(self.cap, (size,))),
            (self.accuses & guilty.any(), Message.ACCUSE, jnp.broadcast_to(jnp.argmax(guilty), (size,))),
            (seen.mask & (seen.value < self.low), Message.WARN_STOCK, seen.value),
        )
        code, argument = jnp.zeros(size, jnp.int32), jnp.zeros(size, jnp.float32)
        for says, message, value in reversed(choices):
            code = jnp.where(says, np.int32(message), code)
            argument = jnp.where(says, value.astype(jnp.float32), argument)
        to = jnp.where(code > 0, np.int32(EVERYONE), np.int32(NOBODY))
        return letter_to(code, argument, to, self.players.view.config.governance.dense)  # type: ignore[union-attr]


@pytree_dataclass
class Log:
    """Keeps every turn: what was seen at its start, done in it, and came of it."""

    def init(self, timestep: TimeStep) -> tuple[jax.Array, Any]:
        return timestep.info.stock, timestep.observation.governance.pacts

    def update(self, carry: tuple[jax.Array, Any], timestep: TimeStep, action: Any) -> tuple[Any, dict[str, Any]]:
        stock, pacts = carry
        info, after = timestep.info, timestep.observation.governance.pacts
        made = {
            "stock": stock, "pacts": pacts, "harvest": info.harvest, "request": info.request, "alive": info.alive,
            "bound": info.bound, "broken": info.broken, "code": action.governance.letters.code,
            # A breach is on record when the next turn begins.
            "breaches": (after.violations > pacts.violations).any(axis=0),
        }  # fmt: skip
        return (info.stock, after), made

    def final(self, carry: Any) -> None:
        return None


def run_timeline(
    settings: TimelineSettings, *, folder: Path | None = None, progress: Callable[[SweepProgress], None] | None = None
) -> Finding:
    """Play one commons and keep every turn of it."""
    del folder, progress  # it takes a second
    world = make_commons(
        len(settings.roster), regrowth=settings.regrowth, harvest_cap=settings.harvest_cap,
        governance={"sanction": settings.sanction},
        observability={STOCK: {"noise": settings.noise}, "regenRate": {"visible": True}},
    )  # fmt: skip
    params = world.default_params()
    script = _script(settings, make_roster(world, settings.roster), float(params.capacity))
    run = jax.jit(lambda key: rollout(world, script, key, settings.turns, params, reducer=Log()).outputs)
    log = jax.tree.map(np.asarray, run(world_key(settings.seed)))
    dead = np.flatnonzero(~log["alive"])
    pacts = log["pacts"]
    everyone = ~np.eye(len(settings.roster), dtype=bool)
    drawn = {
        "stock": log["stock"], "harvest": log["harvest"], "capacity": float(params.capacity),
        "collapse_turn": int(dead[0]) if len(dead) else None,
        "players": [f"{seat} {kind}" for seat, kind in enumerate(settings.roster)],
        # Who was invited sees a pact; to the others it is not there.
        "pact_status": pacts.status.max(axis=1), "pact_cap": pacts.cap.max(axis=1),
        "pact_signed": pacts.signatories.any(axis=1), "breaches": log["breaches"], "messages": log["code"] * everyone,
    }  # fmt: skip
    return Finding(settings, _rows(settings, log), _table(settings, drawn, log), _text(settings, drawn), drawn)


def _script(settings: TimelineSettings, players: RosterPolicy, capacity: float) -> Script:
    kinds = settings.roster
    return Script(
        players=players,
        every=settings.pact_turns + _DELAY,
        duration=settings.pact_turns,
        cap=sustainable_cap(settings.regrowth, capacity, len(kinds), settings.cap_share),
        fine=jnp.asarray(settings.fine, jnp.float32),
        low=jnp.asarray(settings.warn_below * capacity, jnp.float32),
        signs=jnp.asarray([kind in settings.signs for kind in kinds]),
        accuses=jnp.asarray([kind == "pact_keeper" for kind in kinds]),
    )


def _rows(settings: TimelineSettings, log: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One row a turn and player."""
    turns, players = log["harvest"].shape
    return {
        "turn": np.repeat(np.arange(turns, dtype=np.int32), players),
        "player": np.tile(np.arange(players, dtype=np.int32), turns),
        "kind": np.tile(np.asarray(settings.roster), turns),
        "stock": np.repeat(log["stock"], players),
        **{name: log[name].reshape(-1) for name in ("request", "harvest", "bound", "broken")},
        "code": log["code"].max(axis=2).reshape(-1),
    }


def _table(settings: TimelineSettings, drawn: Mapping[str, Any], log: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    caught = log["harvest"].astype(np.float64).sum(axis=0)
    return [
        {
            "player": seat,
            "kind": kind,
            "catch": float(caught[seat]),
            "turns bound": int(log["bound"][:, seat].sum()),
            "turns broken": int(log["broken"][:, seat].sum()),
            "letters": int((drawn["messages"][:, seat] > 0).any(axis=1).sum()),
        }
        for seat, kind in enumerate(settings.roster)
    ]


def _text(settings: TimelineSettings, drawn: Mapping[str, Any]) -> list[str]:
    end = drawn["collapse_turn"]
    fate = "lives to the end" if end is None else f"is dead from turn {end} on"
    last = float(drawn["stock"][-1])
    return [
        f"One commons of {len(settings.roster)} players, seed {settings.seed}: it {fate}; {last:.1f} of "
        f"{drawn['capacity']:g} were there at the start of the last turn.",
        "Offers and letters are a script, the rest is what the agents do. It does not show what pacts do in general: "
        "it is one run, and scripted defectors heed neither accusations nor fines.",
    ]
