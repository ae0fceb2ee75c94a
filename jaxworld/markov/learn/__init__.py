"""Learning through hidden step limits: values, world models and opponent models from one replay of public states."""

from jaxworld.markov.learn.fixed_point import BOUNDARIES, td_fixed_point
from jaxworld.markov.learn.models import (
    ModelReport,
    OpponentModel,
    WorldModel,
    fit_opponent_model,
    fit_world_model,
    judge_opponent_model,
    judge_world_model,
)
from jaxworld.markov.learn.replay import Replay, collect_replay
from jaxworld.markov.learn.tabular import TabularValues, learn_values
from jaxworld.markov.learn.values import ValueNetwork, fit_value_network

__all__ = [
    "BOUNDARIES",
    "ModelReport",
    "OpponentModel",
    "Replay",
    "TabularValues",
    "ValueNetwork",
    "WorldModel",
    "collect_replay",
    "fit_opponent_model",
    "fit_value_network",
    "fit_world_model",
    "judge_opponent_model",
    "judge_world_model",
    "learn_values",
    "td_fixed_point",
]
