"""Gradient-free search over array policies: strategies, objectives, and one resumable loop."""

from jaxworld.study.search.array_policies import NetworkPolicy, make_array_policy
from jaxworld.study.search.codec import Codec, PolicyCodec, make_codec
from jaxworld.study.search.evaluate import Evaluator, Objective, RolloutObjective, held_out_seeds, world_objective
from jaxworld.study.search.evosax_strategy import from_evosax
from jaxworld.study.search.openai_es import OpenAIES
from jaxworld.study.search.run import SearchResult, search
from jaxworld.study.search.settings import SearchProgress, SearchSettings
from jaxworld.study.search.store import load_policy, save_policy
from jaxworld.study.search.strategies import Strategy

__all__ = [
    "Codec",
    "Evaluator",
    "NetworkPolicy",
    "Objective",
    "OpenAIES",
    "PolicyCodec",
    "RolloutObjective",
    "SearchProgress",
    "SearchResult",
    "SearchSettings",
    "Strategy",
    "from_evosax",
    "held_out_seeds",
    "load_policy",
    "make_array_policy",
    "make_codec",
    "save_policy",
    "search",
    "world_objective",
]
