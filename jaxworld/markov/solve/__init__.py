"""Solvers on exact joint graphs, in one stage or several, in float64 on the host."""

from jaxworld.markov.solve.backup import Backup
from jaxworld.markov.solve.certificate import UNITS, SolverError, certify_upper
from jaxworld.markov.solve.discounted import Optimum, best_response, joint_optimum, policy_value
from jaxworld.markov.solve.levels import level_policies, opponent_levels, others_policy, uniform_policies
from jaxworld.markov.solve.matrix_games import MatrixGames, solve_matrix_games
from jaxworld.markov.solve.minimax import MinimaxReachability, minimax_reachability
from jaxworld.markov.solve.reachability import MODES, Reachability, reachability
from jaxworld.markov.solve.rows import Rows, product_policy
from jaxworld.markov.solve.stage import equilibria, stage_game
from jaxworld.markov.solve.staged import StagedRows

__all__ = [
    "MODES",
    "UNITS",
    "Backup",
    "MatrixGames",
    "MinimaxReachability",
    "Optimum",
    "Reachability",
    "Rows",
    "SolverError",
    "StagedRows",
    "best_response",
    "certify_upper",
    "equilibria",
    "joint_optimum",
    "level_policies",
    "minimax_reachability",
    "opponent_levels",
    "others_policy",
    "policy_value",
    "product_policy",
    "reachability",
    "solve_matrix_games",
    "stage_game",
    "uniform_policies",
]
