"""Replay and resume: the same deltas again, and where two runs part."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jaxworld.core import ConfigurationError
from jaxworld.social.host import (
    DivergenceError,
    load_checkpoint,
    replay,
    resume,
    save_checkpoint,
    verify,
)
from jaxworld.social.records import InterventionKind, WorldDelta
from tests.social.records.studies import AWAKE, FOUR, digest_of, head, port, run_rule, texts

SLEEPY = dataclasses.replace(AWAKE, rhythm={"hour": 0.8})
RATES = {tick: 0.3 + 0.1 * tick for tick in range(1, 8)}


@pytest.fixture(scope="module")
def recording():
    """Eight ticks, another activation rate at each."""
    return run_rule(port(SLEEPY), activation_rate=RATES.get)


def entering(recording, tick):
    return [turn for turn in recording.turns[tick - 1] if turn.impression.channel != "survey_room"]


def test_replay_gives_every_delta_again(recording):
    """From header, population, configuration, turns and activation rates alone."""
    assert recording.activation_rates == RATES
    assert texts(replay(port(SLEEPY), recording)) == texts(recording.deltas)
    verify(port(SLEEPY), recording)


def test_replay_needs_the_rates(recording):
    """With the rate of the configuration instead, other personas are awake."""
    without = dataclasses.replace(recording, activation_rates={})
    with pytest.raises((DivergenceError, ConfigurationError)):
        verify(port(SLEEPY), without)


def tampered(recording, tick, **changes):
    deltas = list(recording.deltas)
    deltas[tick] = dataclasses.replace(deltas[tick], **changes)
    return dataclasses.replace(recording, deltas=tuple(deltas))


def with_attention(delta, index):
    """One presentation, noticed a little less."""
    shown = list(delta.presentations)
    impression = shown[index].impression
    exposures = (dataclasses.replace(impression.exposures[0], attention=0.9), *impression.exposures[1:])
    changed = dataclasses.replace(impression, exposures=exposures)
    shown[index] = dataclasses.replace(shown[index], impression=changed)
    return tuple(shown)


def test_a_divergence_names_tick_field_and_index(recording):
    """The first of several differences, in the order of ticks, fields and entries."""
    deltas = recording.deltas
    assert len(deltas[5].dropped) > 2 and deltas[3].published
    louder = dataclasses.replace(deltas[3].published[-1], text="LOUDER")
    cases = [
        ({"presentations": with_attention(deltas[4], 2)}, 4, "presentations", 2),
        ({"dropped": tuple(deltas[5].dropped)[:-1]}, 5, "dropped", len(deltas[5].dropped) - 1),
        ({"interventions": (InterventionKind.TEASER,)}, 2, "interventions", 0),
        ({"published": (*deltas[3].published[:-1], louder)}, 3, "published", len(deltas[3].published) - 1),
    ]
    for changes, tick, field, index in cases:
        both = tampered(tampered(recording, 6, presentations=()), tick, **changes)
        with pytest.raises(DivergenceError) as caught:
            verify(port(SLEEPY), both)
        assert (caught.value.tick, caught.value.field, caught.value.index) == (tick, field, index)


def test_a_missing_delta_is_a_divergence(recording):
    """The count comes first."""
    for deltas in (recording.deltas[:-1], (*recording.deltas, WorldDelta(tick=8))):
        with pytest.raises(DivergenceError) as caught:
            verify(port(SLEEPY), dataclasses.replace(recording, deltas=deltas))
        assert caught.value.field == "delta_count"


@pytest.mark.parametrize("tick", [0, 3, 6])
def test_resume_continues_identically(recording, tick, tmp_path):
    """By replay and by checkpoint, from any tick on; a checkpoint changes speed only."""
    world = resume(port(SLEEPY), recording, tick)
    save_checkpoint(world, tmp_path / "a world.npz")
    restored = load_checkpoint(tmp_path / "a world.npz", head(), FOUR, SLEEPY)
    for one in (world, restored):
        assert one.last_tick == tick and one.presented().to_json() == recording.deltas[tick].to_json()
        for after in range(tick + 1, 8):
            delta = one.step(after, entering(recording, after), activation_rate=RATES[after])
            assert delta.to_json() == recording.deltas[after].to_json()
    assert restored.rejected == world.rejected and restored.ledger.stimuli == world.ledger.stimuli


def test_checkpoints_of_other_worlds_are_refused(recording, tmp_path):
    """Another scenario, other settings; and a file is plain arrays."""
    import numpy as np

    path = tmp_path / "world.npz"
    save_checkpoint(resume(port(SLEEPY), recording, 2), path)
    with pytest.raises(ConfigurationError, match="world_id"):
        load_checkpoint(path, head(horizon_ticks=9), FOUR, SLEEPY)
    with pytest.raises(ConfigurationError, match="settings"):
        load_checkpoint(path, head(), FOUR, AWAKE)
    with np.load(path, allow_pickle=False) as archive:
        assert all(archive[name].dtype != object for name in archive.files)


OTHER_PROCESS = """
from tests.social.records.studies import AWAKE, digest_of, port, run_rule
import dataclasses
print(digest_of(run_rule(port(dataclasses.replace(AWAKE, rhythm={"hour": 0.8}))).deltas))
"""


def test_two_processes_and_any_slices_give_the_same_bytes():
    """One digest over all canonical texts; the small version of ``python -m benchmarks.records``."""
    recording = run_rule(port(SLEEPY))
    expected = digest_of(recording.deltas)
    for chunk in (1, 7, 256):
        world = port(SLEEPY)
        world.chunk = chunk
        assert digest_of(replay(world, recording)) == expected
    root = Path(__file__).resolve().parents[3]
    import jax

    cache = jax.config.jax_compilation_cache_dir
    environment = {
        **os.environ, "PYTHONPATH": str(root), "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "77",
        "JAX_COMPILATION_CACHE_DIR": str(cache), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1", "JAX_NUM_CPU_DEVICES": "2",
    }  # fmt: skip
    made = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS], env=environment, cwd=root, capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == expected
