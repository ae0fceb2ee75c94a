"""Deltas between arrays and records: inverses, slice by slice, whatever the slice."""

import numpy as np
import pytest

from jaxworld.core import ConfigurationError
from jaxworld.social.records import DeltaArrays, Ledger, Stimulus, from_records, published_stimulus_id, to_records
from jaxworld.social.vocabulary import Channel

NAMES = [f"p-{number:03d}" for number in range(40)]
SLOTS, WIDTH = 30, 3


def ledger_of(slots=SLOTS):
    """Stimuli in threads of three."""
    made = Ledger(77, NAMES)
    for slot in range(slots):
        reply = slot % 3 > 0
        made.publish(
            Stimulus(
                stimulus_id=published_stimulus_id(77, 0, "post", slot),
                tick=0 if slot < 20 else 5,
                author=NAMES[slot % 7],
                kind="peer_reply" if reply else "peer_post",
                text=f"text {slot}",
                in_reply_to=made.ids[slot - 1] if reply else None,
            )
        )
    return made


def random_arrays(seed):
    """Anything a delta may hold; several channels, short and long rows, told and untold."""
    rng = np.random.default_rng(seed)
    seats = [(code, who) for code in (1, 2, 3) for who in np.flatnonzero(rng.random(len(NAMES)) < 0.6)]
    num = len(seats)
    lengths = rng.integers(1, WIDTH + 1, num)
    filled = np.arange(WIDTH)[None, :] < lengths[:, None]
    order = rng.permuted(np.tile(np.arange(SLOTS), (num, 1)), axis=1)

    def values(low, high, blank=-1):
        return np.where(filled, rng.integers(low, high, (num, WIDTH)), blank).astype(np.int32)

    tie = values(-1, 1001)
    via = np.where(tie >= 0, values(-1, len(NAMES)), -1).astype(np.int32)
    dropped = [(who, code, slot) for (code, who), row in zip(seats, order, strict=True) for slot in row[WIDTH:5]]
    drops = np.asarray(dropped, np.int32).reshape(-1, 3)
    return DeltaArrays(
        tick=5,
        published=(20, SLOTS),
        interventions=(),
        persona=np.asarray([who for _, who in seats], np.int32),
        channel=np.asarray([code for code, _ in seats], np.int32),
        stimulus=np.where(filled, order[:, :WIDTH], -1).astype(np.int32),
        attention=values(0, 10_001, 0),
        reason=values(0, 8),
        counts=np.where(filled[..., None], rng.integers(0, 9, (num, WIDTH, 5)), 0).astype(np.int32),
        tie=tie,
        shared_community=values(-1, 2),
        via=via,
        drop_persona=drops[:, 0].copy(),
        drop_channel=drops[:, 1].copy(),
        drop_stimulus=drops[:, 2].copy(),
        drop_reason=rng.integers(0, 2, len(drops)).astype(np.int32),
    )


@pytest.mark.parametrize("seed", range(5))
def test_arrays_and_records_are_inverses(seed):
    """Arrays come back bit for bit, records text for text, and every rule of a delta holds when read in full."""
    arrays, ledger = random_arrays(seed), ledger_of()
    delta = to_records(arrays, ledger)
    delta.check()
    fresh = ledger_of(20)
    back = from_records(delta, fresh, WIDTH)
    assert back == arrays
    assert all(getattr(back, name).dtype == np.int32 for name in ("persona", "stimulus", "counts", "drop_reason"))
    assert to_records(back, fresh).to_json() == delta.to_json()
    assert type(delta).from_json(delta.to_json()) == delta


@pytest.mark.parametrize("chunk", [1, 7, 256])
def test_the_slice_has_no_effect(chunk):
    """Personas per slice change when records are made, not what they are."""
    arrays, ledger = random_arrays(3), ledger_of()
    assert to_records(arrays, ledger, chunk).to_json() == to_records(arrays, ledger, 16).to_json()


def test_records_are_made_while_they_are_read():
    """Reading the first presentation makes one slice; an index makes one record; nothing is kept."""
    calls = []

    class Counting(Ledger):
        @property
        def persona_ids(self):
            calls.append(1)
            return self._names

        @persona_ids.setter
        def persona_ids(self, names):
            self._names = names

    plain, counting = ledger_of(), Counting(77, NAMES)
    for stimulus in plain.stimuli:
        counting.publish(stimulus)
    calls.clear()
    delta = to_records(random_arrays(1), counting, chunk=5)
    assert not calls and len(delta.presentations) > 20
    next(iter(delta.presentations))
    first = len(calls)
    assert 0 < first <= 10
    list(delta.presentations)
    assert len(calls) > 4 * first
    assert (
        delta.presentations[-1] == list(delta.presentations)[-1]
        and delta.presentations[0] is not delta.presentations[0]
    )
    assert list(delta.presentations[3:9]) == list(delta.presentations)[3:9]
    with pytest.raises(IndexError):
        delta.presentations[len(delta.presentations)]


BROKEN = {
    "a persona twice on a channel": lambda a: a.persona.__setitem__(1, a.persona[0]),
    "a stimulus twice in a row": lambda a: a.stimulus.__setitem__(slice(None), 4),
    "a drop twice": lambda a: a.drop_stimulus.__setitem__(1, a.drop_stimulus[0]),
    "a drop that was shown": lambda a: a.drop_stimulus.__setitem__(0, a.stimulus[0, 0]),
    "a hole": lambda a: a.stimulus.__setitem__((0, 0), -1),
}


@pytest.mark.parametrize("what", BROKEN)
def test_arrays_that_are_no_delta_are_refused(what):
    """The rules of a delta are checked on the columns, before any record is made."""
    arrays = random_arrays(2)
    BROKEN[what](arrays)
    with pytest.raises(ConfigurationError):
        to_records(arrays, ledger_of())


def test_foreign_records_are_refused():
    """Unknown personas, unknown stimuli and impression ids of another world cannot become arrays."""
    arrays = random_arrays(0)
    delta = to_records(arrays, ledger_of())
    for other in (Ledger(77, NAMES[:3]), Ledger(78, NAMES)):
        with pytest.raises(ConfigurationError):
            from_records(delta, other)
    assert arrays.channel[0] == Channel.SOCIAL_FEED
