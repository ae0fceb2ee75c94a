"""The audit of a trace: every tick is derived from the header and the turns before it, and compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxworld.social.audit import context, exposure, log, schedule, word_of_mouth
from jaxworld.social.audit.facts import FEED, FORUM, read_facts
from jaxworld.social.audit.form import Form
from jaxworld.social.audit.history import History
from jaxworld.social.audit.moment import Moment, Row
from jaxworld.social.audit.report import Report


def audit(header: Mapping[str, Any], ticks: Iterable[tuple[int, Sequence[Row]]]) -> Report:
    """Audit a trace.

    Args:
        header: plain data as in ``header.json``.
        ticks: number and rows of each tick, from 0 on; rows are dictionaries by column, None or absent if empty.

    Returns:
        What was found; nothing in a sound trace.

    Raises:
        ConfigurationError: if the header lacks what the audit needs.
    """
    facts = read_facts(header)
    report, history, form = Report(), History(facts), Form(facts)
    turns: Sequence[Row] = ()
    for expected, (tick, rows) in enumerate(ticks):
        moment = Moment(tick, rows, report)
        report.num_ticks += 1
        report.num_rows += len(rows)
        if tick != expected:
            moment.flag(None, "tick", tick, expected, "ticks close in order")
        if tick >= facts.world["horizon"]:
            moment.flag(None, "tick", tick, f"below {facts.world['horizon']}", "ticks within the horizon")
        form.check(moment)
        history.enter(turns)
        _check(moment, history)
        history.remember(moment)
        turns = [turn for turn in moment.turns if turn.get("persona_id") in facts.position]
    return report


def audit_folder(folder: str | Path) -> Report:
    """Audit the trace in a folder, tick by tick.

    Raises:
        ConfigurationError: if the folder holds no trace, or a damaged one.
        MissingExtraError: if pyarrow is not installed.
    """
    from jaxworld.social.trace.reader import TraceReader

    trace = TraceReader(folder)
    return audit(trace.header, trace.ticks())


def _check(moment: Moment, history: History) -> None:
    facts = history.facts
    schedule.check_interventions(moment, facts)
    log.check_rejections(moment, history)
    log.check_publications(moment, history)
    log.check_sentiments(moment)
    concept = history.concept or ""
    schedule.check_channels(moment, facts)
    schedule.check_survey(moment, facts, concept)
    schedule.check_launch(moment, facts, concept)
    schedule.check_awake(moment, facts)
    context.check_contexts(moment, history)
    exposure.check_attention(moment, facts, history.items)
    for channel in (FEED, FORUM):
        exposure.check_platform(moment, history, channel)
    exposure.check_word_of_mouth_reasons(moment)
    word_of_mouth.check_word_of_mouth(moment, history)
