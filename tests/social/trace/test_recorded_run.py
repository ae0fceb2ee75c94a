"""Runs of external agents on record: nothing is lost to a kill, and the trace holds all of the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.audit import audit_folder
from jaxworld.social.host import verify
from jaxworld.social.records import canonical_json
from jaxworld.social.trace import TraceReader, drive_on_record, recording_of, rows_to_delta, rows_to_turns
from jaxworld.social.trace.conversion import rows_to_failures, rows_to_rate
from tests.social.records.studies import port
from tests.social.trace.killed_run import HORIZON, Agents, rate, study

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """An undisturbed run: its folder, what the driver yielded, and its world."""
    folder, world = tmp_path_factory.mktemp("recorded"), study()
    return folder, list(drive_on_record(world, Agents(), folder, activation_rate=rate)), world


def test_rows_hold_all_of_every_record(recorded):
    folder, logs, world = recorded
    rejected = 0
    for log, (tick, rows) in zip(logs, TraceReader(folder).ticks(), strict=True):
        assert rows_to_delta(tick, rows).to_json() == log.delta.to_json()
        assert canonical_json(rows_to_turns(tick, rows)) == canonical_json(log.turns)
        assert canonical_json(rows_to_failures(tick, rows)) == canonical_json(log.failures)
        assert rows_to_rate(rows) == log.activation_rate
        rejected += sum(row["event"] == "rejection" for row in rows)
    assert rejected == len(world.rejected) > 0 and any(log.failures for log in logs)


def test_audit_and_replay_agree_with_the_trace(recorded):
    folder, _, _ = recorded
    report = audit_folder(folder)
    assert report.clean and report.num_ticks == HORIZON, report.findings[:3]
    verify(study(), recording_of(TraceReader(folder), with_deltas=True))


def killed(folder: Path, tick: int, stage: str) -> None:
    """Run in another process, which kills itself."""
    environment = {
        **os.environ,
        "JAX_COMPILATION_CACHE_DIR": str(jax.config.jax_compilation_cache_dir),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "JAX_PLATFORMS": "cpu",
    }
    command = [sys.executable, "-m", "tests.social.trace.killed_run", str(folder), str(tick), stage]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def test_a_run_killed_twice_resumes_with_nothing_lost(recorded, tmp_path):
    """Killed while a file is half written, resumed, killed while agents are asked, and resumed to the end."""
    whole, _, _ = recorded
    first, second = sorted(np.random.default_rng(11).choice(np.arange(1, HORIZON), 2, replace=False).tolist())
    killed(tmp_path, first, "writing")
    assert TraceReader(tmp_path).num_ticks == first
    assert audit_folder(tmp_path).clean
    killed(tmp_path, second, "asking")
    assert TraceReader(tmp_path).num_ticks == second

    agents = Agents()
    list(drive_on_record(study(), agents, tmp_path, activation_rate=rate))
    assert agents.ticks == list(range(second, HORIZON)), "agents were asked again about ticks on record"
    files = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    for path in files:
        assert (whole / path).read_bytes() == (tmp_path / path).read_bytes(), path
    assert list(drive_on_record(study(), agents, tmp_path, activation_rate=rate)) == []


def test_another_run_does_not_go_into_the_folder(recorded):
    folder, _, _ = recorded
    with pytest.raises(ConfigurationError, match="another run"):
        next(drive_on_record(port(horizon_ticks=HORIZON, seed=5), Agents(), folder))
