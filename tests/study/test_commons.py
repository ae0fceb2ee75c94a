"""Noise in a commons: the sweep at a small size, what is counted, the search, and one commons turn by turn."""

from __future__ import annotations

import json

import numpy as np
import pytest

from jaxworld.cli.main import main
from jaxworld.commons import get_arm, run_noise_levels
from jaxworld.core.errors import ConfigurationError
from jaxworld.plot.harvest import write_harvest_figure
from jaxworld.study.experiments.commons import multiverse, noise, timeline
from jaxworld.study.experiments.commons.fragility import EARLIER, OUTCOMES, fragility_table, judge
from jaxworld.study.experiments.commons.gates import NAMED_ARM, gates
from jaxworld.study.experiments.commons.populations import AGGRESSORS, CONSERVATIVES
from jaxworld.study.experiments.harvest import HarvestSettings, run_harvest
from jaxworld.study.experiments.harvest.optimum import Rules, best_response, most_of_all
from jaxworld.study.experiments.harvest.run import first_stocks, make_world
from jaxworld.study.sweep.study import derive_seeds
from jaxworld.study.tables import read_table

LEVELS = (0.0, 0.2, 0.4, 0.7, 1.0)
WORLDS = 96


def run_command(capsys, *arguments):
    assert main(["commons", *arguments, "--json", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Two populations through the command line, and the table it wrote."""
    out = tmp_path_factory.mktemp("commons")
    levels = ",".join(map(str, LEVELS))
    options = ["--set", f"levels={levels}", "--set", f"arms={NAMED_ARM},blind6", "--worlds", str(WORLDS), "--seed", "5"]
    assert main(["commons", "noise", *options, "--quiet", "--out", str(out)]) == 0
    rows, text = read_table(out / "finding.parquet")[0], (out / "finding.txt").read_text()
    assert {path.name for path in out.iterdir()} == {"finding.parquet", "finding.png", "finding.txt"}
    return rows, text


def cell(rows, population, noise_on="everyone"):
    """Figures ``[seeds, L]`` of one population, and its seeds."""
    mine = (rows["population"] == population) & (rows["noise_on"] == noise_on)
    assert mine.sum() == WORLDS * len(LEVELS)
    figures = {name: rows[name][mine].reshape(WORLDS, len(LEVELS)) for name in ("welfare", "gini", "survival")}
    return figures, rows["seed_of_world"][mine].reshape(WORLDS, len(LEVELS))[:, 0]


def test_the_named_arm_shows_the_pattern_and_says_whose_noise_it_is(swept):
    """Margins are eight standard errors or more of what 10,000 seeds found."""
    rows, text = swept
    figures, _ = cell(rows, NAMED_ARM)
    welfare, gini = figures["welfare"].mean(axis=0), figures["gini"].mean(axis=0)
    assert welfare.argmax() == LEVELS.index(0.4) and welfare[2] - welfare[0] > 0.015
    assert welfare[-1] < welfare[0] - 0.03 and gini[2] < gini[0] - 0.08
    alone = {name: cell(rows, NAMED_ARM, name)[0]["welfare"] for name in ("aggressors", "the others")}
    assert (alone["aggressors"][:, 2] - alone["aggressors"][:, 0]).mean() > 0.03
    assert (alone["the others"][:, 2] - alone["the others"][:, 0]).mean() < 0.0
    for gate in "abce":
        assert f"({gate}) holds" in text
    assert "(d) reported" in text and "does not show that noise helps" in text


def test_who_does_not_read_the_stock_does_the_same_to_the_last_bit(swept):
    rows, _ = swept
    blind = rows["population"] == "blind6"
    figures = [name for name, values in rows.items() if values.dtype.kind == "f" and name not in ("noise", "levels")]
    assert {"welfare", "gini", "log_utility", "share_random"} <= set(figures)
    for name in figures:
        table = rows[name][blind].reshape(-1, len(LEVELS))
        np.testing.assert_array_equal(table, np.repeat(table[:, :1], len(LEVELS), axis=1), err_msg=name)
    assert np.unique(rows["welfare"][blind]).size == WORLDS


def test_levels_in_one_world_of_a_sweep_are_those_of_one_call(swept):
    """One compiled call for all levels and seeds; the same seeds of a sweep, in blocks of another width."""
    figures, seeds = cell(swept[0], NAMED_ARM)
    arm = get_arm(NAMED_ARM)
    world = arm.world()
    tally = run_noise_levels(world, arm.policy(world), LEVELS, seeds, arm.num_turns, reducer=arm.reducer())
    found = arm.reducer().summary(tally)
    for name in figures:
        np.testing.assert_allclose(found[name].T, figures[name], rtol=0, atol=1e-5, err_msg=name)


def simulate(rate, cap, first, rows, turns):
    """Welfare without noise in float64, collapse at 0.05."""
    stock, total, rows = first, 0.0, np.asarray(rows, np.float64)
    for _ in range(turns):
        wanted = np.clip(rows[:, 0] + stock * (rows[:, 1] + stock * rows[:, 2]), 0, cap) * (stock >= rows[:, 3])
        taken = min(wanted.sum(), stock)
        total, left = total + taken, stock - taken
        stock = left + rate * left * (1 - left)
        if stock < 0.05:
            break
    return total / (turns * rate / 4)


def test_a_multiverse_in_small(capsys, tmp_path):
    options = {"aggressors": "max,pulse.5", "conservatives": "constant,msy", "counts": "3,", "caps": "0.1,",
               "rates": "0.4,", "collapses": "0.05,", "levels": "0,0.1,0.4,1", "environments": "3",
               "environment_worlds": "2"}  # fmt: skip
    chosen = [part for name, value in options.items() for part in ("--set", f"{name}={value}")]
    content = run_command(capsys, "multiverse", *chosen, "--worlds", "12", "--out", str(tmp_path))
    assert [row["outcome"] for row in content["table"]] == list(OUTCOMES.values())
    assert content["table"][4]["earlier, all"] == "1.1 %"
    text = " ".join(content["text"])
    assert "4 populations, 12 seeds" in text and "no aggressors: best noise" in text
    rows = read_table(tmp_path / "finding.parquet")[0]
    seeds = derive_seeds(12, 0)
    first = first_stocks(make_world(HarvestSettings()), seeds)
    for aggressor in ("max", "pulse.5"):
        for conservative in ("constant", "msy"):
            fixed, growing = (np.asarray(part, np.float64) for part in CONSERVATIVES[conservative])
            modest = [*((fixed[:3] + 0.4 * growing) / 6), fixed[3]]
            players = [AGGRESSORS[aggressor]] * 3 + [modest] * 3
            wanted = np.mean([simulate(0.4, 0.1, stock, players, 100) for stock in first])
            mine = (rows["aggressor"] == aggressor) & (rows["conservative"] == conservative) & (rows["noise"] == 0)
            assert rows["welfare"][mine] == pytest.approx(wanted, abs=2e-3)
    blind = (rows["aggressor"] == "max") & (rows["conservative"] == "constant")
    assert np.unique(rows["welfare"][blind]).size == 1 and not rows["outcome_best"][blind].any()


def population(curve, gini, spread=1e-3, seeds=50):
    wobble = np.random.default_rng(0).normal(0, spread, (seeds, len(curve)))
    return judge((0.0, 0.1, 0.4, 1.0), np.asarray(curve) + wobble, np.asarray(gini) + wobble, np.ones((seeds, 4)))


def test_outcomes_are_counted_as_they_are_defined():
    claim = population([0.8, 0.82, 0.85, 0.7], [0.4, 0.35, 0.3, 0.3])
    early = population([0.8, 0.9, 0.7, 0.2], [0.4, 0.4, 0.5, 0.5])
    worse = population([0.1, 0.09, 0.05, 0.0], [0.2, 0.2, 0.2, 0.2])
    unfair = population([0.8, 0.82, 0.85, 0.7], [0.3, 0.35, 0.4, 0.4])
    rising = population([0.8, 0.81, 0.815, 0.9], [0.3, 0.3, 0.3, 0.3])
    came = [
        {name for name, flag in verdict.outcomes.items() if flag} for verdict in (claim, early, worse, unfair, rising)
    ]
    assert came[0] == {"best", "gains", "interior", "in_band", "everything", "better", "fairer"}
    assert came[1] == {"best", "gains", "interior", "worse", "unfairer"}
    assert came[2] == {"worse"} and not worse.lively
    assert came[3] == {"best", "gains", "interior", "in_band", "better", "unfairer"}
    assert came[4] == {"best", "gains", "better"}
    table = fragility_table([claim, early, worse, unfair, rising])
    assert [row["of all 5"] for row in table][:5] == ["80.0 %", "80.0 %", "60.0 %", "40.0 %", "20.0 %"]
    assert [row["of the 4 livelier"] for row in table][4] == "25.0 %" and len(table) == len(EARLIER)


def test_gates_fail_when_they_should():
    levels = (0.0, 0.4, 1.0)

    def made(welfare, gini):
        ones = np.ones((4, 1))
        return {"welfare": ones * np.asarray(welfare), "gini": ones * np.asarray(gini)}

    good, flat = made([0.9, 0.95, 0.8], [0.4, 0.3, 0.3]), made([0.9, 0.9, 0.9], [0.4, 0.4, 0.4])
    cells = {(NAMED_ARM, 0): good, (NAMED_ARM, 1): good, (NAMED_ARM, 2): flat, ("blind6", 0): flat}
    assert [gate.passed for gate in gates(levels, cells)] == [True, True, True, None, True]
    assert gates(levels, {("blind6", 0): flat}) == []
    for change, number in (
        ({(NAMED_ARM, 0): made([0.9, 0.91, 0.8], [0.4, 0.3, 0.3])}, 0),
        ({(NAMED_ARM, 0): made([0.9, 0.95, 0.88], [0.4, 0.3, 0.3])}, 0),
        ({(NAMED_ARM, 0): made([0.9, 0.95, 0.8], [0.4, 0.35, 0.3])}, 0),
        ({(NAMED_ARM, 1): flat}, 1),
        ({(NAMED_ARM, 2): good}, 1),
        ({("blind6", 0): made([0.9, np.nextafter(0.9, 1), 0.9], [0.4, 0.4, 0.4])}, 2),
    ):
        assert gates(levels, {**cells, **change})[number].passed is False


def test_a_sole_owner_reaches_the_closed_form():
    """With no limit: down to half at once, the maximum sustainable yield each turn, everything in the last."""
    rules = Rules(regrowth=0.4, cap=1.0, collapse=0.05, turns=40)
    stock = np.asarray([0.5, 0.7, 1.0])
    best = best_response(rules, np.zeros_like)(stock)
    assert (best <= most_of_all(rules, stock) + 1e-3).all()
    np.testing.assert_allclose(best, stock + 39 * 0.1, rtol=5e-3)
    shared = best_response(rules, lambda stock: np.full_like(stock, 0.04))(stock)
    np.testing.assert_allclose(shared, best - 40 * 0.04, rtol=2e-2)


def test_a_searched_harvester_beside_the_best_response(tmp_path):
    settings = HarvestSettings(others=("constant", "pulse"), turns=30, generations=12, population_size=16, worlds=4,
                               held_out_worlds=16)  # fmt: skip
    result = run_harvest(settings)
    for name, figures in result.summary.items():
        found = figures["found"]["mean"]
        assert figures["start"] == pytest.approx(1.0, abs=1e-3), name
        assert figures["start"] < found <= figures["best"] * 1.01 <= figures["bound"] * 1.02
        assert figures["share_of_best"] == pytest.approx(found / figures["best"])
    assert (result.rows["seed_of_world"] >= 2**63).all() and len(result.rows["catch"]) == 32
    write_harvest_figure(result, tmp_path / "harvest.png")
    assert (tmp_path / "harvest.png").stat().st_size > 10_000


def test_a_timeline_is_what_happened():
    found = timeline.run_timeline(timeline.TimelineSettings(turns=25, warn_below=0.0))
    drawn, rows = found.drawn, found.rows
    broken = drawn["breaches"].any(axis=1)
    assert broken[:, 5].any() and not broken[:, :5].any()
    np.testing.assert_array_equal(broken.reshape(-1), rows["broken"] > 0)
    assert not (rows["broken"] > rows["bound"]).any()
    # Whoever keeps pacts accuses in the turn after a breach, unless it has an offer to make.
    accused = (drawn["messages"][:, 1] == 5).any(axis=1)
    np.testing.assert_array_equal(accused[1:], broken.any(axis=1)[:-1])
    caught = rows["harvest"].reshape(25, 6)
    left = drawn["stock"] - caught.sum(axis=1)
    grown = left + 0.4 * left * (1 - left / 100)
    np.testing.assert_allclose(drawn["stock"][1:], grown[:-1], rtol=1e-4)
    cap = drawn["pact_cap"].max()
    assert cap == pytest.approx(0.8 * 0.4 * 100 / 4 / 6, rel=1e-5)
    assert (caught[~broken & (rows["bound"].reshape(25, 6) > 0)] <= cap + 0.011).all()


@pytest.mark.parametrize(
    ("made", "match"),
    [
        (lambda: noise.NoiseSettings(levels=(0.0, 0.5, 1.0)), "0.4"),
        (lambda: noise.NoiseSettings(levels=(0.1, 0.4, 1.0)), "ascend"),
        (lambda: noise.NoiseSettings(arms=("balanced",)), "balanced6"),
        (lambda: noise.NoiseSettings(aggressors=("racr",)), "racer"),
        (lambda: multiverse.MultiverseSettings(aggressors=("pulse",)), "pulse.3"),
        (lambda: multiverse.MultiverseSettings(counts=(7,)), "counts"),
        (lambda: multiverse.MultiverseSettings(caps=("x",)), "^caps"),
        (lambda: multiverse.MultiverseSettings(rates=(-0.1,)), "^rates"),
        (lambda: multiverse.MultiverseSettings(collapses=(1.5,)), "^collapses"),
        (lambda: multiverse.MultiverseSettings(environments=1), "environments"),
        (lambda: HarvestSettings(others=("pact_keeper",)), "others"),
        (lambda: HarvestSettings(others=()), "others"),
        (lambda: HarvestSettings(others="bob"), "others = 'bob': use names from"),
    ],
)
def test_settings_that_cannot_work_are_named(made, match):
    with pytest.raises(ConfigurationError, match=match):
        made()


def test_an_unknown_study_is_named(capsys):
    assert main(["commons", "multivers"]) == 2
    assert "multiverse" in capsys.readouterr().err
