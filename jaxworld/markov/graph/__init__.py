"""Exact joint transition graphs of games."""

from jaxworld.markov.graph.build import base_game, build_graph
from jaxworld.markov.graph.export import to_networkx, to_scipy, write_prism
from jaxworld.markov.graph.factored import FactoredGraph, build_factored
from jaxworld.markov.graph.files import load_graph, save_graph
from jaxworld.markov.graph.graph import Graph, check_graph
from jaxworld.markov.graph.lumping import Lumping, lump

__all__ = [
    "FactoredGraph",
    "Graph",
    "Lumping",
    "base_game",
    "build_factored",
    "build_graph",
    "check_graph",
    "load_graph",
    "lump",
    "save_graph",
    "to_networkx",
    "to_scipy",
    "write_prism",
]
