"""Who is awake, and what scheduled interventions add to it, to reach and to attention."""

import itertools

import jax
import numpy as np
import pytest

from jaxworld.core.random import entity_bits, tick_key, world_key
from jaxworld.social import Action, InterventionKind, Reason, make_params
from jaxworld.social.activation import activation_probability, draw_active
from jaxworld.social.build import configure
from jaxworld.social.streams import open_streams
from jaxworld.social.vocabulary import RHYTHMS, TickUnit
from tests.social.worlds import FORUM, Run, Turn, assert_same, everything, four_people, mixed, people


def probabilities(tick: int, unit: str = "hour", population=None, acts=(), **options) -> list[float]:
    population = population or four_people(involvement=[0.0, 0.5, 1.0, 3.0])
    config = configure(population, tick_unit=unit, num_interventions=len(acts))
    params = make_params(config, population, interventions=acts, **options)
    return np.asarray(activation_probability(config, params, np.int32(tick))).tolist()


@pytest.mark.parametrize(("unit", "tick", "rhythm"), [("hour", 3, 0.08), ("hour", 36, 1.0), ("hour", 23, 0.25),
                                                      ("day", 0, 0.55), ("day", 8, 1.0), ("day", 13, 0.6),
                                                      ("week", 5, 1.0)])  # fmt: skip
def test_probability_is_involvement_times_rhythm_at_most_one(unit, tick, rhythm):
    """Curves of the hour of day and the day of week; involvement 0 is never awake."""
    np.testing.assert_allclose(probabilities(tick, unit), [0, 0.5 * rhythm, rhythm, min(1, 3 * rhythm)], rtol=1e-6)


def test_curves_differ_by_unit_and_can_be_replaced():
    assert RHYTHMS[TickUnit.HOUR].shape == (24,) and RHYTHMS[TickUnit.DAY].shape == (7,)
    assert probabilities(2, "day", rhythm=np.full(7, 0.4))[:3] == pytest.approx([0, 0.2, 0.4])
    assert probabilities(30)[1:3] == pytest.approx([0.2, 0.4]), "hour 30 is six in the morning"


def test_personal_rhythms_replace_the_shared_one_at_hourly_ticks():
    hours = np.zeros((4, 24))
    hours[1, 5], hours[2, 5] = 1.0, 0.5
    own = four_people(rhythm=hours)
    assert probabilities(29, population=own) == [0, 1, 0.5, 0] and probabilities(1, "day", population=own) == [1] * 4


def test_the_rate_thins():
    """Rates multiply what is left after the cap at 1."""
    assert probabilities(12, activation_rate=0.25) == [0, 0.125, 0.25, 0.25]


def awake(rates: list[float], ticks: int = 20) -> np.ndarray:
    """``[rate, tick, persona]`` of 2,048 personas who would all be awake."""
    made = mixed()

    def draw(key, tick, params):
        return draw_active(made.world.config, params, tick, open_streams(tick_key(key, tick)).activation)

    over_ticks = jax.jit(jax.vmap(draw, in_axes=(None, 0, None)))
    times = np.arange(ticks, dtype=np.int32)
    return np.asarray([over_ticks(world_key(3), times, made.params(activation_rate=rate)) for rate in rates])


def test_lower_rates_keep_subsets_and_frequencies():
    """Thinning is nested, and as many are awake as the rate says, within five standard errors."""
    rates = [0.0, 0.1, 0.4, 0.9, 1.0]
    active = awake(rates)
    for low, high in itertools.pairwise(active):
        assert not (low & ~high).any()
    for rate, drawn in zip(rates, active, strict=True):
        assert abs(drawn.mean() - rate) <= 5 * np.sqrt(rate * (1 - rate) / drawn.size)


def test_reruns_are_awake_alike_and_ticks_differ():
    active = awake([0.5])[0]
    assert (active == awake([0.5])[0]).all() and (active[0] != active[1]).any()


def test_interventions_start_together_and_are_listed_by_kind():
    """Two acts of one tick are both present; each is listed when it starts and never again."""
    run = Run(everything(), interventions=((0, "teaser"), (2, "launch", 3), (2, "promotion")))
    listed = [run.info.interventions.tolist()] + [run.step().info.interventions.tolist() for _ in range(4)]
    launch, teaser, promotion = (int(kind) for kind in InterventionKind)
    assert (launch, teaser, promotion) == (0, 1, 2)
    none = [False, False, False]
    assert listed == [[False, True, False], none, [True, False, True], none, none]


def test_without_effects_interventions_do_nothing():
    """Effects are zero by default: only the listing differs."""
    often = Run(everything(), interventions=((1, "launch", 4), (1, "teaser", 4), (2, "promotion", 4)))
    never = Run(everything())
    for _ in range(4):
        often.step()
        never.step()
        assert_same((often.state, often.seen, often.info.feed), (never.state, never.seen, never.info.feed))


def test_effects_on_activation_add_up_while_they_last():
    """Acts of several kinds, and of one kind twice, add; the sum stays within 0 and 1; then it ends."""
    acts = ((5, "launch", 2), (6, "promotion"), (6, "promotion", 2), (40, "teaser", 1))
    effects = {"launch": {"activation": 0.2}, "promotion": {"activation": 0.1}, "teaser": {"activation": -1.0}}
    options = {"acts": acts, "intervention_effects": effects, "rhythm": np.full(24, 0.3), "activation_rate": 0.5}
    base, launch, both, after = (probabilities(tick, **options) for tick in (4, 5, 6, 7))
    assert base == pytest.approx([0, 0.075, 0.15, 0.45])
    assert launch == pytest.approx([0.1, 0.175, 0.25, 0.5])
    assert both == pytest.approx([0.2, 0.275, 0.35, 0.5])
    assert after == pytest.approx([0.05, 0.125, 0.2, 0.5])
    assert probabilities(8, **options) == base and probabilities(40, **options) == [0] * 4


def test_effects_on_reach_add_up_and_leave_others_alone():
    """.3 and .2 together put the concept first for about half of 2,048 personas; the rest see what they would have."""
    acts = {"interventions": ((1, "launch"), (1, "teaser"), (1, "promotion"))}
    effects = {"launch": {"reach": 0.3}, "teaser": {"reach": 0.2}}
    run = Run(mixed(), **acts, intervention_effects=effects).step()
    plain, alone = Run(mixed()).step(), Run(mixed(), **acts, intervention_effects={"launch": {"reach": 0.3}}).step()
    reached = run.seen.feed.reason[:, 0] == Reason.LAUNCH
    assert abs(reached.mean() - 0.5) < 5 * 0.5 / np.sqrt(2048)
    assert not ((alone.seen.feed.reason[:, 0] == Reason.LAUNCH) & ~reached).any(), "more reach keeps whom less reached"
    windows, before = run.window("feed"), plain.window("feed")
    assert (windows[reached, 0] == 0).all() and (windows[~reached] == before[~reached]).all()
    for window, old in zip(windows[reached][:50], before[reached][:50], strict=True):
        assert window[:4].tolist() == [0] + [s for s in old[:4].tolist() if s != 0]
    forum = run.seen.forum.reason[:, 0] == Reason.LAUNCH
    assert 0.15 < (forum & reached).mean() < 0.35, "drawn apart on each platform"
    assert (run.step().seen.feed.reason != Reason.LAUNCH).all()


def test_effects_on_attention_add_up_on_noticed_study_stimuli():
    """.1 and .05 on top of the curve, at most 1; what is not noticed stays so."""
    acts = {"interventions": ((1, "launch"), (1, "teaser"), (1, "promotion"))}
    effects = {"launch": {"attention": 0.1}, "promotion": {"attention": 0.05}}
    run = Run(everything(), **acts, intervention_effects=effects).step()
    assert (run.seen.feed.attention == [10_000, 9_000, 6_500]).all()
    blind = Run(everything(), **acts, intervention_effects=effects, attention_floor=0.6).step()
    assert (blind.seen.feed.attention == [10_000, 9_000, 0]).all()
    assert (run.step().seen.feed.attention == [10_000, 7_500, 5_000]).all()


def test_effects_on_attention_spare_peers():
    """Posts of personas keep the attention of their slot."""
    acts = ((2, "launch"), (0, "teaser"), (0, "promotion"))
    run = Run(everything(), interventions=acts, intervention_effects={"launch": {"attention": -0.2}})
    view = run.step(Turn(0, Action.POST, 0, FORUM)).step().seen.forum
    assert (view.stimulus[:, 0] == 4).all() and (view.attention == [10_000, 5_500, 3_000]).all()


def test_draws_are_personal():
    """Awake or not hangs on the persona's identity, so the same personas in a larger world are awake alike."""
    identity = people("many").identity
    words = open_streams(tick_key(world_key(1), 4)).activation
    bits = jax.jit(lambda rows: entity_bits(words, rows, 1)[0])
    assert (np.asarray(bits(identity))[:100] == np.asarray(entity_bits(words, identity[:100], 1)[0])).all()
