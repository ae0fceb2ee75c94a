"""The folder of a sweep: interruptions, shards, damage, and whatever does not belong together."""

import json
import os
import random
import shutil
import signal
import time

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.study.sweep import merge
from jaxworld.study.sweep.identity import describe, fingerprint
from tests.study.sweep.common import TIMEOUT_S, file_digest, start_child, walk_sweep


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """An uninterrupted sweep in files of four worlds."""
    return walk_sweep(out=tmp_path_factory.mktemp("whole") / "sweep", chunk=4)


@pytest.fixture
def copy(whole, tmp_path):
    """A copy of it that may be broken."""
    return shutil.copytree(whole.path.parent, tmp_path / "copy")


def chunks(folder):
    return sorted(folder.glob("chunk-*.parquet"))


def test_killed_at_random_three_times_and_resumed_is_the_same_to_the_byte(whole, tmp_path):
    out, seed = tmp_path / "killed", random.randrange(10**6)
    dice = random.Random(seed)
    for _ in range(3):
        before = len(chunks(out)) if out.exists() else 0
        child = start_child(sweep="walk", out=str(out), delay_s=0.05, options={"chunk": 1})
        deadline = time.monotonic() + TIMEOUT_S
        while child.poll() is None and time.monotonic() < deadline and len(chunks(out)) < before + dice.randint(2, 6):
            time.sleep(dice.uniform(0.0, 0.02))
        os.kill(child.pid, signal.SIGKILL)
        child.communicate(timeout=TIMEOUT_S)
        assert child.returncode == -signal.SIGKILL, seed
        assert before < len(chunks(out)) < 42 and not (out / "sweep.parquet").exists(), seed
    done = len(chunks(out))
    result = walk_sweep(out=out)
    assert (result.resumed, result.computed) == (done, 42 - done)
    assert file_digest(result.path) == file_digest(whole.path), seed
    assert not list(out.glob(".chunk-*"))


def test_shards_merge_to_the_whole_in_any_order(whole, tmp_path):
    parts = [tmp_path / f"part{index}" for index in range(3)]
    for index, part in enumerate(parts):
        result = walk_sweep(out=part, chunk=2, shard=f"{index}/3")
        assert result.path is None and result.computed > 0 and result.missing > 0
    with pytest.raises(ConfigurationError, match="files are missing"):
        merge(parts[:2], tmp_path / "none")
    for number, order in enumerate((parts, parts[::-1])):
        assert file_digest(merge(order, tmp_path / str(number))) == file_digest(whole.path)


def test_shards_may_share_a_folder(whole, tmp_path):
    first = walk_sweep(out=tmp_path, chunk=5, shard=(0, 2))
    assert first.path is None
    last = walk_sweep(out=tmp_path, chunk=5, shard=(1, 2))
    assert file_digest(last.path) == file_digest(whole.path)


def test_any_damaged_byte_of_a_chunk_is_noticed(copy):
    """Cut off, emptied, or one byte flipped anywhere: either it is refused, or the content is what it was."""
    victim = chunks(copy)[3]
    sound, table = victim.read_bytes(), file_digest(copy / "sweep.parquet")
    dice = random.Random(5)
    broken = [sound[: len(sound) // 2], b"", b"PAR1" + sound[4:-4] + b"XXXX"]
    for position in dice.sample(range(len(sound)), 60):
        broken.append(sound[:position] + bytes([sound[position] ^ (1 << dice.randrange(8))]) + sound[position + 1 :])
    refused = 0
    for content in broken:
        victim.write_bytes(content)
        try:
            assert file_digest(merge([copy])) == table
        except ConfigurationError as error:
            refused += 1
            assert victim.name in str(error) and "delete it and run again" in str(error) and "\n" not in str(error)
    assert refused > 30
    victim.write_bytes(sound[:-1])
    with pytest.raises(ConfigurationError, match=victim.name):
        walk_sweep(out=copy)
    victim.unlink()
    assert walk_sweep(out=copy).computed == 4
    assert file_digest(copy / "sweep.parquet") == table


def test_another_configuration_is_refused_and_nothing_is_lost(copy):
    before = {path.name: file_digest(path) for path in copy.iterdir()}
    for change in ({"ticks": 5}, {"seeds": 8}, {"seed": 1}, {"block": 2}, {"every": 3, "ticks": 6}):
        with pytest.raises(ConfigurationError, match="another configuration"):
            walk_sweep(out=copy, **change)
    with pytest.raises(ConfigurationError, match="4 worlds each"):
        walk_sweep(out=copy, chunk=3)
    with pytest.raises(ConfigurationError, match="already holds a sweep"):
        walk_sweep(out=copy, resume=False)
    assert {path.name: file_digest(path) for path in copy.iterdir()} == before


def test_a_manifest_of_something_else_is_refused(copy):
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text())
    for content, expected in [
        ("{", "damaged"),
        ("[]", "no manifest of a sweep"),
        ('{"kind": "other"}', "no manifest of a sweep"),
        (json.dumps({**manifest, "format": 99}), "format"),
        (json.dumps({**manifest, "versions": {"jaxworld": "0.0.1", "jax": "0.1"}}), "jax 0.1"),
        (json.dumps({name: value for name, value in manifest.items() if name != "chunk"}), "damaged"),
    ]:
        path.write_text(content)
        with pytest.raises(ConfigurationError, match=expected):
            walk_sweep(out=copy)


def test_foreign_folders_are_refused(whole, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("keep")
    with pytest.raises(ConfigurationError, match=r"notes\.txt"):
        walk_sweep(out=mine)
    with pytest.raises(ConfigurationError, match="choose a folder you can write to"):
        walk_sweep(out=mine / "notes.txt" / "below")
    with pytest.raises(ConfigurationError, match="no such folder"):
        merge([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="is empty"):
        merge([tmp_path / "empty"])
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]


def test_parts_of_different_sweeps_do_not_merge(whole, tmp_path):
    walk_sweep(out=tmp_path / "other", seed=9, chunk=4, shard="0/2")
    with pytest.raises(ConfigurationError, match="another configuration"):
        merge([whole.path.parent, tmp_path / "other"])


def test_a_chunk_of_another_sweep_is_refused(copy, tmp_path):
    walk_sweep(out=tmp_path / "other", seed=9, chunk=4)
    shutil.copy(chunks(tmp_path / "other")[0], chunks(copy)[0])
    with pytest.raises(ConfigurationError, match="belongs to a sweep of another configuration"):
        walk_sweep(out=copy)


def test_fingerprints_tell_things_apart_and_are_stable():
    def make(offset):
        return lambda x: x + offset

    same = [make(1), make(1)]
    assert fingerprint(describe(same[0])) == fingerprint(describe(same[1])) != fingerprint(describe(make(2)))
    assert describe(np.arange(3)) == describe(np.arange(3)) != describe(np.arange(3.0))
    with pytest.raises(ConfigurationError, match="__repr__"):
        describe(object(), "policy")
