"""A large world never holds personas times stimuli, under any recommender."""

import json

import pytest

from benchmarks import scale


@pytest.mark.parametrize("case", ["twitter:3000x3000:4", "reddit_hot:3000x3000"])
def test_scratch_is_far_below_one_byte_per_persona_and_stimulus(case):
    found = scale.run_case(case)
    assert found["scratch_mb"] < found["personas_x_stimuli_mb"]
    assert found["stimuli"] >= 3000 and found["awake"] > 0


def test_main_writes_what_it_prints(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(scale.subprocess, "run", lambda *args, **kwargs: _Answer())
    assert scale.main(["random:10x10", "--out", str(tmp_path)]) == 0
    assert "random:10x10" in capsys.readouterr().out
    assert json.loads((tmp_path / "scale.json").read_text())["cases"][0]["awake"] == 1


class _Answer:
    stdout = json.dumps(
        {
            "seconds_per_tick": [1.0],
            "awake": 1,
            "scratch_mb": 1.0,
            "personas_x_stimuli_mb": 2.0,
            "peak_memory_gib": 0.1,
            "compile_s": 1.0,
        }
    )
