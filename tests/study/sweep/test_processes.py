"""A sweep over two processes that goes on after a part was done before, and how processes find one another."""

import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.study.sweep import initialise
from tests.study.sweep.common import file_digest, finish_child, free_port, start_child, walk_sweep

pytestmark = pytest.mark.devices


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return file_digest(walk_sweep(out=tmp_path_factory.mktemp("one") / "sweep", chunk=3).path)


def test_two_processes(expected, tmp_path):
    """They take part in one another's calls, write files of their own, and go on after a part was done before."""
    out = tmp_path / "two"
    walk_sweep(out=out, chunk=2, shard="1/4")
    address = f"127.0.0.1:{free_port()}"
    task = {"sweep": "walk", "out": str(out), "coordinator": address, "num_processes": 2}
    children = [start_child(process_id=index, **task) for index in range(2)]
    facts = [finish_child(child) for child in children]
    assert all((fact["processes"], fact["devices"], fact["missing"]) == (2, 2, 0) for fact in facts)
    assert 0 < min(fact["computed"] for fact in facts) < sum(fact["computed"] for fact in facts) < 42
    assert file_digest(out / "sweep.parquet") == expected


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("127.0.0.1:1", None, None), "JAXWORLD_NUM_PROCESSES"),
        (("127.0.0.1:1", 2, None), "JAXWORLD_PROCESS_ID"),
        (("127.0.0.1:1", 2, 2), "process_id"),
        (("127.0.0.1", 2, 1), "host:port"),
        ((None, 2, 1), "coordinator"),
    ],
)
def test_half_a_launch_is_refused(arguments, named, monkeypatch):
    for name in ("JAXWORLD_COORDINATOR", "JAXWORLD_NUM_PROCESSES", "JAXWORLD_PROCESS_ID", "JOB_COMPLETION_INDEX"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError, match=named):
        initialise(*arguments)
