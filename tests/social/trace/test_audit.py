"""The auditor finds nothing in what the kernel produced, and everything that was falsified."""

from __future__ import annotations

import ast
import contextlib
import copy
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import jaxworld.social.audit as package
from jaxworld.cli.main import main
from jaxworld.core.errors import ConfigurationError
from jaxworld.social.audit import audit
from jaxworld.social.trace import TraceWriter
from tests.social.trace.corruptions import CORRUPTIONS


def test_random_worlds_have_no_findings(random_traces):
    events = Counter()
    for header, ticks in random_traces:
        report = audit(header, ticks)
        assert report.clean, report.findings[:3]
        assert report.num_ticks == len(ticks) and report.num_rows == sum(len(rows) for _, rows in ticks)
        events.update((row["event"], row.get("channel")) for _, rows in ticks for row in rows)
    for event in ("exposure", "drop", "turn", "rejection"):
        for channel in ("social_feed", "forum", "wom"):
            assert events[event, channel] > 0, f"no {event} on {channel} was audited"
    assert events["exposure", "survey_room"] and events["stimulus", None] and events["intervention", None]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_every_corruption_is_named(name, seed, random_traces):
    rng = np.random.default_rng([seed, sorted(CORRUPTIONS).index(name)])
    header, ticks, pointed = falsify(name, random_traces, rng)
    found = [(each.tick, each.field, each.persona, each.index) for each in audit(header, ticks).findings]
    assert pointed in found, (pointed, found[:5])
    assert found[0][0] >= pointed[0] - (name == "a tick lost"), "an earlier tick is blamed"


def falsify(name, random_traces, rng):
    """A falsified copy of a random trace that has something to falsify, and where an audit must point."""
    for place in rng.permutation(len(random_traces)):
        header, ticks = copy.deepcopy(random_traces[place])
        for _, rows in ticks:
            news = any(row["event"] == "stimulus" for row in rows)
            for row in rows:
                row["has_news"] = news
        with contextlib.suppress(LookupError, StopIteration):
            return header, ticks, CORRUPTIONS[name](header, ticks, rng)
    raise AssertionError("no trace has anything to falsify")


def test_it_shares_no_code_with_the_simulation():
    allowed = ("jaxworld.social.audit", "jaxworld.social.trace.reader", "jaxworld.core.errors")
    for path in Path(package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert not name.startswith("jaxworld") or name.startswith(allowed), f"{path.name} imports {name}"


def test_a_header_without_settings_is_refused_by_name():
    with pytest.raises(ConfigurationError, match="population lacks"):
        audit({"population": {}}, [])


def test_command_lists_findings_and_sets_the_exit_code(rich_trace, random_traces, tmp_path, capsys):
    header, ticks = rich_trace
    sound, falsified = tmp_path / "sound", tmp_path / "falsified"
    writer = TraceWriter(sound, header)
    for tick, rows in ticks:
        writer.append(tick, rows)
    assert main(["audit", str(sound)]) == 0
    assert capsys.readouterr().out.endswith("rows: no findings\n")

    changed_header, changed, pointed = falsify("a like too many", random_traces, np.random.default_rng(1))
    writer = TraceWriter(falsified, changed_header)
    for tick, rows in changed:
        writer.append(tick, [{name: value for name, value in row.items() if name != "has_news"} for row in rows])
    assert main(["audit", str(falsified)]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(f"tick {pointed[0]}, row {pointed[3]}, persona {pointed[2]}: likes is ")
    assert main(["audit", str(falsified), "--json", "--limit", "1"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert not content["clean"] and [each["field"] for each in content["findings"]] == ["likes"]


@pytest.mark.parametrize("damage", ["missing", "no json", "other format", "cut tick"])
def test_command_reports_bad_input_in_one_line(damage, rich_trace, tmp_path, capsys):
    header, ticks = rich_trace
    folder = tmp_path / "trace"
    if damage != "missing":
        writer = TraceWriter(folder, header)
        writer.append(*ticks[0])
    if damage == "no json":
        (folder / "header.json").write_text("{")
    if damage == "other format":
        (folder / "header.json").write_text('{"format": "something else"}')
    if damage == "cut tick":
        path = folder / "ticks" / "tick-000000.parquet"
        path.write_bytes(path.read_bytes()[:-40])
    assert main(["audit", str(folder)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and error.startswith("jaxworld: error: ") and str(folder) in error
