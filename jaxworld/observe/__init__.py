"""Floor 2: who sees what. Visibility, noise, resolution and further transforms, compiled to one pure function."""

from jaxworld.observe.delivered import Delivered, round_thousandths
from jaxworld.observe.describe import describe, describe_data
from jaxworld.observe.fields import Choice, Flag, Number, Numbers, Whole
from jaxworld.observe.files import load_configuration
from jaxworld.observe.params import Memory, StageMemory, VariableParams
from jaxworld.observe.pipeline import Pipeline, compile_pipeline
from jaxworld.observe.plugins import load_entry_points, load_plugin_folder
from jaxworld.observe.record import to_records
from jaxworld.observe.registry import Context, register, registered_kinds
from jaxworld.observe.space import DeliveredSpace
from jaxworld.observe.variable import Variable

__all__ = [
    "Choice",
    "Context",
    "Delivered",
    "DeliveredSpace",
    "Flag",
    "Memory",
    "Number",
    "Numbers",
    "Pipeline",
    "StageMemory",
    "Variable",
    "VariableParams",
    "Whole",
    "compile_pipeline",
    "describe",
    "describe_data",
    "load_configuration",
    "load_entry_points",
    "load_plugin_folder",
    "register",
    "registered_kinds",
    "round_thousandths",
    "to_records",
]
