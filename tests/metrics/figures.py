"""All metrics of one backend under the names of the oracle, so that a test compiles once and compares once."""

from __future__ import annotations

import jax

from jaxworld import metrics


def _everything(module, values, weights=None, mask=None):
    return {
        "gini": module.gini(values, weights, mask),
        "herfindahl": module.herfindahl(values, weights, mask),
        "effective_number": module.effective_number(values, weights, mask),
        "top_count": module.top_share(values, weights, mask, count=2),
        "top_fraction": module.top_share(values, weights, mask, fraction=0.3),
        "entropy": module.entropy(values, weights, mask),
        "evenness": module.entropy(values, weights, mask, normalised=True),
        "coverage": module.coverage(values, weights, mask),
    }


def on_host(values, weights=None, mask=None):
    return _everything(metrics.host, values, weights, mask)


@jax.jit
def in_kernel(values, weights=None, mask=None):
    return _everything(metrics, values, weights, mask)
