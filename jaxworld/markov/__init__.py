"""Floor 3: games whose observation is their state, and everything exact that follows from it."""

from jaxworld.core.registry import register
from jaxworld.markov.catalogue import BUILT_IN, GAMES, make_game
from jaxworld.markov.game import GameInfo, GameState, MarkovGame, Record
from jaxworld.markov.gathering import Gathering
from jaxworld.markov.graph import FactoredGraph, Graph, build_factored, build_graph, load_graph, save_graph
from jaxworld.markov.ice_duel import IceDuel
from jaxworld.markov.matrix import MatrixGame
from jaxworld.markov.public_goods import PublicGoods
from jaxworld.markov.pursuit import Pursuit
from jaxworld.markov.stag_hunt import StagHunt
from jaxworld.markov.stage_games import bertrand, chicken, congestion, inspection
from jaxworld.markov.tables import TableGame

for _name, _entry in GAMES.items():
    register(f"markov/{_name}", _entry.factory, summary=_entry.summary)

__all__ = [
    "BUILT_IN",
    "GAMES",
    "FactoredGraph",
    "GameInfo",
    "GameState",
    "Gathering",
    "Graph",
    "IceDuel",
    "MarkovGame",
    "MatrixGame",
    "PublicGoods",
    "Pursuit",
    "Record",
    "StagHunt",
    "TableGame",
    "bertrand",
    "build_factored",
    "build_graph",
    "chicken",
    "congestion",
    "inspection",
    "load_graph",
    "make_game",
    "save_graph",
]
