"""Timing OASIS (camel-ai/oasis) from a working tree: its recommender functions and its whole rule-based tick.

The modules are loaded straight from their files, past the package's own ``__init__``, and heavy imports that are not
installed (transformers, a sentence encoder, camel, torch, scikit-learn) become stand-ins. What needs the real thing
is left out and named in the notes; nothing of OASIS is part of this repository.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import importlib
import importlib.util
import io
import logging
import os
import random
import sys
import tempfile
import time
import types
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np

from benchmarks.harness import Timing, measure
from benchmarks.rule import SECONDS_PER_TICK, Case, Posts

STAND_INS = (
    "transformers",
    "sentence_transformers",
    "camel",
    "camel.embeddings",
    "camel.types",
    "torch",
    "sklearn",
    "sklearn.feature_extraction",
    "sklearn.feature_extraction.text",
    "sklearn.metrics",
    "sklearn.metrics.pairwise",
)
_ENCODER_DIMENSIONS = 384
_FUNCTIONS = {"random": "rec_sys_random", "reddit_hot": "rec_sys_reddit", "twitter": "rec_sys_personalized"}
_PLATFORM_MODES = {"random": "random", "reddit_hot": "reddit"}


class _StandIn(types.ModuleType):
    """A module that has every name one asks for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=f"{self.__name__}.{name}", **{"is_available.return_value": False})


@dataclasses.dataclass(frozen=True)
class Oasis:
    """The loaded modules; ``platform`` is None where it could not be loaded. ``notes`` say what is missing and why."""

    recsys: Any
    platform: Any
    has_torch: bool
    notes: tuple[str, ...]


@contextlib.contextmanager
def load(tree: Path) -> Iterator[Oasis]:
    """Load OASIS from ``tree``; its modules, stand-ins and log files are gone again afterwards.

    Raises:
        FileNotFoundError: if ``tree`` holds no ``oasis/social_platform/recsys.py``.
    """
    source = tree.resolve() / "oasis"
    if not (source / "social_platform" / "recsys.py").is_file():
        raise FileNotFoundError(f"{tree} is no working tree of OASIS: oasis/social_platform/recsys.py is not there")
    before, folder, path = dict(sys.modules), Path.cwd(), list(sys.path)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)  # importing its platform makes a folder for logs where one stands
        try:
            _install_packages(source)
            missing = _install_stand_ins()
            notes = [f"stand-ins for {', '.join(missing)}"] if missing else []
            recsys = importlib.import_module("oasis.social_platform.recsys")
            platform = _import_platform(notes)
            for name in ("social.rec", "social.twitter"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
            yield Oasis(recsys, platform, "torch" not in missing, tuple(notes))
        finally:
            for handler in list(logging.getLogger("social.twitter").handlers):
                handler.close()
                logging.getLogger("social.twitter").removeHandler(handler)
            os.chdir(folder)
            sys.path[:] = path
            for name in set(sys.modules) - set(before):
                if name.split(".")[0] in ("oasis", *STAND_INS):
                    del sys.modules[name]


def _install_packages(source: Path) -> None:
    """Packages without their ``__init__``, which would import the whole of OASIS."""
    for name in ("oasis", "oasis.social_platform", "oasis.clock"):
        package = types.ModuleType(name)
        package.__path__ = [str(source.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package


def _install_stand_ins() -> list[str]:
    missing: list[str] = []
    for name in STAND_INS:
        top = name.split(".")[0]
        if top in missing or importlib.util.find_spec(top) is None:
            sys.modules[name] = _StandIn(name)
            missing += [top] if top not in missing else []
    return missing


def _import_platform(notes: list[str]) -> Any:
    try:
        return importlib.import_module("oasis.social_platform.platform")
    except Exception as error:  # whatever a foreign module raises on import, its recommenders can still be timed
        notes.append(f"platform not loaded: {type(error).__name__}: {error}")
        return None


# --- Its recommender functions ---


def time_recommender(oasis: Oasis, case: Case, posts: Posts, repeats: int) -> Timing | None:
    """One call of the function behind a recommender, for all users; None where OASIS has none that runs here."""
    name = _FUNCTIONS.get(case.recommender)
    function = getattr(oasis.recsys, name, None) if name else None
    if function is None:
        return None
    users, table = user_table(case), post_table(posts)
    matrix: list[list[int]] = [[] for _ in users]
    if case.recommender != "twitter":
        return measure(lambda: function(table, matrix, case.window), repeats)
    if not oasis.has_torch:
        return None
    oasis.recsys.model = _Encoder(oasis.recsys.torch)
    with contextlib.redirect_stdout(io.StringIO()):
        return measure(lambda: function(users, table, [], matrix, case.window), repeats)


class _Encoder:
    """Stands in for the sentence encoder: the same random vectors each time, so that encoding costs nothing."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.made: dict[int, Any] = {}

    def encode(self, texts: list[str], **options: Any) -> Any:
        del options
        size = len(texts)
        if size not in self.made:
            vectors = np.random.default_rng(size).normal(size=(size, _ENCODER_DIMENSIONS)).astype(np.float32)
            self.made[size] = self.torch.from_numpy(vectors)
        return self.made[size]


def user_table(case: Case) -> list[dict[str, Any]]:
    """Users as OASIS reads them from its database."""
    return [{"user_id": number, "bio": f"user {number}", "num_followers": 0} for number in range(case.personas)]


def post_table(posts: Posts) -> list[dict[str, Any]]:
    """Posts as OASIS reads them; the study's is written by user 0."""
    epoch = datetime(2024, 8, 6, 8)
    return [
        {
            "post_id": number + 1,
            "user_id": max(int(author), 0),
            "content": f"post {number}",
            "created_at": str(epoch + timedelta(seconds=int(tick) * SECONDS_PER_TICK)),
            "num_likes": int(ups),
            "num_dislikes": int(downs),
        }
        for number, (tick, author, ups, downs) in enumerate(
            zip(posts.tick, posts.author, posts.ups, posts.downs, strict=True)
        )
    ]


# --- Its whole tick ---


def time_platform(oasis: Oasis, case: Case, repeats: int) -> Timing | None:
    """The rule on OASIS's platform, in memory, by direct calls; per tick. None where it has no such mode or module."""
    mode = _PLATFORM_MODES.get(case.recommender)
    if mode is None or oasis.platform is None:
        return None
    return asyncio.run(_time_platform(oasis, case, mode, repeats)).per(case.ticks)


async def _time_platform(oasis: Oasis, case: Case, mode: str, repeats: int) -> Timing:
    walls, cpus = [], []
    for repeat in range(repeats):
        world = await _furnish(oasis, case, mode)
        dice = random.Random(repeat)
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(case.ticks):
            await _tick(world, case, dice)
        cpus.append(time.process_time() - cpu)
        walls.append(time.perf_counter() - wall)
        world.db.close()
    return Timing(float(np.median(walls)), float(np.median(cpus)), repeats)


async def _furnish(oasis: Oasis, case: Case, mode: str) -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        world = oasis.platform.Platform(
            ":memory:", recsys_type=mode, refresh_rec_post_count=case.budget, max_rec_post_len=case.window
        )
    for user in range(case.personas):
        await world.sign_up(user, (f"user{user}", f"user {user}", "bio"))
    for post in range(case.posts):
        await world.create_post(post % case.personas, f"post {post}")
    return world


async def _tick(world: Any, case: Case, dice: random.Random) -> None:
    for number in range(round(case.posts_per_tick)):
        await world.create_post(dice.randrange(case.personas), f"new post {number} {dice.random()}")
    await world.update_rec_table()
    for user in range(case.personas):
        if dice.random() >= case.activation:
            continue
        answer = await world.refresh(user)
        if not answer.get("posts"):
            continue
        mark, post = dice.random(), dice.choice(answer["posts"])["post_id"]
        if mark < case.approve:
            await world.like_post(user, post)
        elif mark < case.approve + case.dissent:
            await world.dislike_post(user, post)
    world.sandbox_clock.time_step += 1
