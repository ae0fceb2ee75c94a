"""One table, to the byte, whatever carries the sweep: chunks of any size, devices and processes, in every family."""

import jax
import pytest

from tests.study.sweep.common import FAMILIES, file_digest, finish_child, free_port, start_child

pytestmark = pytest.mark.devices


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


@pytest.fixture(scope="module")
def expected(family, tmp_path_factory):
    """On one device, in chunks of the size that the sweep chooses."""
    result = FAMILIES[family](out=tmp_path_factory.mktemp(family) / "one", devices=jax.devices()[:1])
    assert result.computed == len(result.rows()["arm"])
    return file_digest(result.path)


@pytest.mark.parametrize("chunk", [1, 64, 1000])
def test_chunks(family, expected, chunk, tmp_path):
    result = FAMILIES[family](out=tmp_path / "sweep", chunk=chunk, devices=jax.devices()[:1])
    assert file_digest(result.path) == expected


@pytest.fixture(scope="module")
def on_eight_devices(tmp_path_factory):
    out = tmp_path_factory.mktemp("eight")
    assert finish_child(start_child(devices=8, families=list(FAMILIES), out=str(out)))["devices"] == 8
    return out


@pytest.fixture(scope="module")
def on_two_processes(tmp_path_factory):
    out = tmp_path_factory.mktemp("two")
    task = {"families": list(FAMILIES), "out": str(out), "coordinator": f"127.0.0.1:{free_port()}", "num_processes": 2}
    children = [start_child(process_id=index, **task) for index in range(2)]
    assert [finish_child(child)["processes"] for child in children] == [2, 2]
    return out


def test_eight_devices(family, expected, on_eight_devices):
    assert file_digest(on_eight_devices / family / "sweep.parquet") == expected


def test_two_processes(family, expected, on_two_processes):
    assert file_digest(on_two_processes / family / "sweep.parquet") == expected
