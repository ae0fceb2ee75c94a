"""Traces: append-only records of runs in Parquet, with queries and a SQLite export."""

from jaxworld.social.trace.arrays import ArrayRows, ArrayRun, run_arrays
from jaxworld.social.trace.conversion import rows_to_delta, rows_to_turns, tick_rows
from jaxworld.social.trace.header import default_persona_ids, population_facts, trace_header, world_facts
from jaxworld.social.trace.queries import cascade, drops, reach, seen_by, viewers_of
from jaxworld.social.trace.reader import TraceReader
from jaxworld.social.trace.run import drive_on_record, header_of, recording_of
from jaxworld.social.trace.schema import COLUMNS, EVENTS, FORMAT
from jaxworld.social.trace.sqlite import export_sqlite
from jaxworld.social.trace.writer import TraceWriter

__all__ = [
    "COLUMNS",
    "EVENTS",
    "FORMAT",
    "ArrayRows",
    "ArrayRun",
    "TraceReader",
    "TraceWriter",
    "cascade",
    "default_persona_ids",
    "drive_on_record",
    "drops",
    "export_sqlite",
    "header_of",
    "population_facts",
    "reach",
    "recording_of",
    "rows_to_delta",
    "rows_to_turns",
    "run_arrays",
    "seen_by",
    "tick_rows",
    "trace_header",
    "viewers_of",
    "world_facts",
]
