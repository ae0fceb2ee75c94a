"""The picture of one commons over time, from arrays made by hand."""

import numpy as np
import pytest

from jaxworld.commons.governance import Message, PactStatus
from jaxworld.core.errors import ConfigurationError
from jaxworld.plot.commons_timeline import CommonsTimeline, draw_commons_timeline, write_commons_timeline

T, N, P = 20, 3, 2


def facts():
    status = np.zeros((T, P), int)
    status[2:4, 0], status[4:12, 0], status[12:, 0] = PactStatus.OFFERED, PactStatus.ACTIVE, PactStatus.EXPIRED
    status[5:7, 1], status[7:, 1] = PactStatus.OFFERED, PactStatus.VOID
    breaches = np.zeros((T, P, N), bool)
    breaches[[6, 9], 0, 2] = True
    messages = np.zeros((T, N, N), int)
    messages[1, 0, 1:] = Message.PROPOSE_CAP
    messages[10, 1, 2] = Message.ACCUSE
    return {
        "stock": np.linspace(90, 2, T),
        "harvest": np.tile([1.0, 2.0, 4.0], (T, 1)),
        "capacity": 100.0,
        "collapse_turn": 17,
        "players": ["keeper", "keeper", "greedy"],
        "pact_status": status,
        "pact_cap": np.full((T, P), 1.5),
        "pact_signed": np.ones((T, P, N), bool),
        "breaches": breaches,
        "messages": messages,
    }


def test_everything_is_where_it_happened():
    stock, harvest, pacts, messages = draw_commons_timeline(CommonsTimeline(**facts())).axes[:4]
    np.testing.assert_allclose(stock.lines[0].get_ydata(), facts()["stock"])
    np.testing.assert_allclose(harvest.images[0].get_array(), facts()["harvest"].T)
    assert harvest.collections[0].get_offsets().tolist() == [[6, 2], [9, 2]]
    bars = [(bar.get_x(), bar.get_width(), bar.get_y() + 0.3) for bar in pacts.patches if 0 < bar.get_width() < T]
    assert [bar for bar in bars if bar[0] < 12] == [(1.5, 2, 0), (3.5, 8, 0), (4.5, 2, 1)]
    assert "cap 1.5, 3 signed" in [text.get_text() for text in pacts.texts]
    labels = [text.get_text() for text in messages.get_legend().get_texts()]
    assert labels == ["propose cap", "accuse"]
    sizes = [dots.get_sizes().tolist() for dots in messages.collections[:2]]
    assert sizes == [[26], [8]]


def test_a_plain_commons_needs_no_governance(tmp_path):
    path = tmp_path / "run.png"
    write_commons_timeline(CommonsTimeline(stock=[5, 4], harvest=[[1], [0]], capacity=9), path, title="two turns")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_arrays_that_do_not_fit_are_named():
    for field, value in (("harvest", np.zeros((3, 2))), ("messages", np.zeros((T, N, 2))), ("players", ["a"])):
        with pytest.raises(ConfigurationError, match=field):
            CommonsTimeline(**{**facts(), field: value})
