"""Reachability by the model checker Storm (Hensel et al. 2022), if it is installed."""

import numpy as np
import pytest

stormpy = pytest.importorskip("stormpy")

PRECISION = "1/10000000000000"
"""Absolute, of bounds from both sides; by default 1e-6."""


def reachability(rows, target, mode):
    """``float64[S]`` of a decision process ``rows [S, A, S]``; ``mode`` is min or max."""
    from stormpy import datastructures, models

    size, actions = rows.shape[:2]
    builder = datastructures.SparseMatrixBuilder[float](
        rows=0, columns=0, entries=0, force_dimensions=False, has_custom_row_grouping=True
    )
    for state in range(size):
        builder.new_row_group(state * actions)
        for action in range(actions):
            for successor in np.flatnonzero(rows[state, action]):
                builder.add_next_value(state * actions + action, int(successor), float(rows[state, action, successor]))
    labels = models.StateLabeling(size)
    labels.add_label("init")
    labels.add_label_to_state("init", 0)
    labels.add_label("target")
    for state in np.flatnonzero(target):
        labels.add_label_to_state("target", int(state))
    parts = models.SparseModelComponents[float](transition_matrix=builder.build(), state_labeling=labels)
    model = models.SparseMdp[float](parts)
    formula = stormpy.parse_properties(f'P{mode}=? [F "target"]')[0]
    checked = stormpy.model_checking(model, formula, environment=_precise())
    return np.asarray(checked.get_finite_value_vector(), np.float64)


def _precise():
    """Sound computation (a bare environment's is not), closer than Storm's own limit."""
    environment = stormpy.environments.sound()
    solver = environment.solver().min_max()
    solver.precision = stormpy.Rational(PRECISION)
    solver.relative_termination_criterion = False
    return environment
