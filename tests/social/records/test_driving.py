"""External agents: who is asked what and when, failures, and the same rule on arrays."""

import dataclasses
from itertools import chain

import jax.numpy as jnp
import pytest

from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.social import TurnBatch
from jaxworld.social.host import drive, each
from jaxworld.social.host.rollouts import drive_arrays
from jaxworld.social.vocabulary import Action, Channel, Count
from tests.social.records.studies import (
    AWAKE,
    FEED_ACTIONS,
    FORUM_ACTIONS,
    IDS,
    WOM_ACTIONS,
    port,
    rule,
    run_rule,
    texts,
    words,
)


@pytree_dataclass
class ArrayRule:
    """The rule of ``studies.rule`` on arrays."""

    num_personas: int = static_field()

    def init(self, key, params):
        return ()

    def act(self, key, carry, observation):
        parts = (
            (Channel.SOCIAL_FEED, observation.feed, FEED_ACTIONS),
            (Channel.FORUM, observation.forum, FORUM_ACTIONS),
            (Channel.WORD_OF_MOUTH, observation.word_of_mouth, WOM_ACTIONS),
        )
        rows = [self._rows(channel, view, actions, observation.tick) for channel, view, actions in parts]
        # A batch has a row for everybody in the survey room too; nobody answers there.
        rows.append({**rows[0], "valid": jnp.zeros(self.num_personas, bool)})
        return TurnBatch(**{name: jnp.concatenate([row[name] for row in rows]) for name in rows[0]}), carry

    def _rows(self, channel, view, actions, tick):
        persona = jnp.arange(self.num_personas, dtype=jnp.int32)
        codes = jnp.asarray([int(Action[name.upper()]) for name in actions], jnp.int32)
        pick = jnp.mod(3 * persona + 2 * tick + view.counts[:, 0, Count.LIKES], len(actions))
        nothing = jnp.full_like(persona, -1)
        return {
            "valid": view.stimulus[:, 0] >= 0,
            "persona": persona,
            "channel": jnp.full_like(persona, int(channel)),
            "subject": jnp.maximum(view.stimulus[:, 0], 0),
            "action": codes[pick],
            "sentiment": jnp.where(jnp.mod(persona + tick, 2) == 0, 900_000, 0),
            "vector": nothing,
            "text": nothing,
        }


def test_one_rule_on_arrays_and_through_the_port_gives_the_same_deltas():
    """The array path runs its ticks in compiled loops; every byte of every delta agrees."""
    expected = texts(run_rule(port()).deltas)
    made = texts(
        drive_arrays(
            port(),
            ArrayRule(num_personas=4),
            lambda persona, action, subject: words(persona, action.value, subject.stimulus_id),
            ticks_per_call=7,
        )
    )
    assert made == expected
    assert sum(len(delta.published) for delta in run_rule(port()).deltas) > 12


def test_agents_are_asked_in_the_order_of_presentations():
    """One call a tick with all requests, or several of a given size; each request is what that persona may know."""
    calls = []

    def agent(requests):
        calls.append([(r.presentation.impression.channel.value, r.persona.persona_id) for r in requests])
        for request in requests:
            shown = [exposure.stimulus_id for exposure in request.presentation.impression.exposures]
            assert [stimulus.stimulus_id for stimulus in request.stimuli] == shown
            assert request.presentation.impression.persona_id == request.persona.persona_id
        return [rule(request) for request in requests]

    logs = list(drive(port(), agent))
    for log, call in zip(logs, calls, strict=True):
        shown = [(p.impression.channel.value, p.impression.persona_id) for p in log.delta.presentations]
        assert call == shown and len(log.turns) == len(shown)
    whole, calls[:] = list(calls), []
    again = list(drive(port(), agent, batch_size=3))
    assert max(map(len, calls)) == 3 and list(chain(*calls)) == list(chain(*whole))
    assert [log.delta.to_json() for log in again] == [log.delta.to_json() for log in logs]


def flaky(request):
    """Fails in every way an agent can fail."""
    who, channel = request.persona.persona_id, request.presentation.impression.channel
    if channel == "survey_room":
        return None
    if who == IDS[0]:
        raise RuntimeError("the model is down")
    if who == IDS[1]:
        return "I like it"
    if who == IDS[2] and channel == "social_feed":
        return dataclasses.replace(request.react(0, "like"), subject_stimulus_id="st-" + "0" * 26)
    return request.react(0, "like" if channel == "social_feed" else "upvote")


def test_a_failing_agent_contributes_no_turn_and_is_recorded():
    """Exceptions, answers that are no reactions and impossible subjects cost one request each, and say why."""
    logs = list(drive(port(horizon_ticks=3), each(flaky)))
    failures = [(f.persona_id, f.channel.value, f.tick, f.error) for f in logs[1].failures]
    assert [failure[:3] for failure in failures] == [
        (IDS[0], "social_feed", 1), (IDS[1], "social_feed", 1), (IDS[2], "social_feed", 1),
        (IDS[0], "forum", 1), (IDS[1], "forum", 1),
    ]  # fmt: skip
    assert failures[0][3] == "RuntimeError: the model is down" and "not shown" in failures[2][3]
    assert [turn.impression.persona_id for turn in logs[1].turns] == [IDS[3], IDS[2], IDS[3]]
    assert logs[0].turns == () and logs[0].failures == ()


@pytest.mark.parametrize("answers", [lambda requests: 1 / 0, lambda requests: [None], lambda requests: None])
def test_a_call_that_fails_as_a_whole(answers):
    """All its requests fail; the world goes on as one in which nobody acts."""
    logs = list(drive(port(horizon_ticks=3), answers))
    assert all(len(log.failures) == len(log.delta.presentations) and not log.turns for log in logs)
    silent = list(drive(port(horizon_ticks=3), lambda requests: [None] * len(requests)))
    assert [log.delta.to_json() for log in logs] == [log.delta.to_json() for log in silent]


def test_survey_answers_are_recorded_but_do_not_enter():
    """The world is never given them, and who was asked anything else is not touched by them."""
    entered = []
    world = port()
    step = world.step
    world.step = lambda tick, turns, **options: entered.extend(turns) or step(tick, turns, **options)
    logs = list(drive(world, each(rule)))
    answers = [turn for log in logs for turn in log.turns if turn.impression.channel == "survey_room"]
    assert len(answers) == 4 * 8
    assert entered and all(turn.impression.channel != "survey_room" for turn in entered)


def test_rates_thin_activation_and_spare_waves():
    """A rate by tick; whoever is awake at a lower one is awake at a higher one."""
    nobody = lambda requests: [None] * len(requests)  # noqa: E731
    config = dataclasses.replace(AWAKE, rhythm={"hour": 0.9})

    def awake(rate):
        logs = list(drive(port(config), nobody, activation_rate=rate))
        assert all(sum(p.impression.channel == "survey_room" for p in log.delta.presentations) == 4 for log in logs)
        return [
            {p.impression.persona_id for p in log.delta.presentations if p.impression.channel == "forum"}
            for log in logs
        ]

    full, thinned, mixed = awake(None), awake(lambda tick: 0.4), awake(lambda tick: 1.0 if tick < 4 else 0.0)
    assert all(few <= many for few, many in zip(thinned, full, strict=True))
    assert sum(map(len, thinned)) < sum(map(len, full))
    assert mixed == full[:4] + [set()] * 4
