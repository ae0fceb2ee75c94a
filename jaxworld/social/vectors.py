"""Content vectors by handle."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def lookup_vectors(handle: jax.Array, study_vectors: jax.Array, profile: jax.Array) -> jax.Array:
    """Grid vectors ``float32[..., D]`` of stimuli.

    Args:
        handle: ``int32[...]``: below ``1 + C`` a row of ``study_vectors``, beyond it a persona's profile, -1 for none
            (a zero vector).
        study_vectors: ``float32[1 + C, D]``.
        profile: ``float32[N, D]``.
    """
    num_study = study_vectors.shape[0]
    studied = study_vectors[jnp.clip(handle, 0, num_study - 1)]
    authored = profile[jnp.clip(handle - num_study, 0, profile.shape[0] - 1)]
    vectors = jnp.where((handle < num_study)[..., None], studied, authored)
    return jnp.where((handle >= 0)[..., None], vectors, 0)
