"""Content vectors by handle."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def lookup_vectors(
    handle: jax.Array, study_vectors: jax.Array, profile: jax.Array, text_vectors: jax.Array | None = None
) -> jax.Array:
    """Grid vectors ``float32[..., D]`` of stimuli.

    Args:
        handle: ``int32[...]``: below ``1 + C`` a row of ``study_vectors``, then the N personas' profiles, then rows of
            ``text_vectors``; -1 for none (a zero vector).
        study_vectors: ``float32[1 + C, D]``.
        profile: ``float32[N, D]``.
        text_vectors: ``float32[T, D]``, or None.
    """
    num_study, num_known = study_vectors.shape[0], study_vectors.shape[0] + profile.shape[0]
    studied = study_vectors[jnp.clip(handle, 0, num_study - 1)]
    authored = profile[jnp.clip(handle - num_study, 0, profile.shape[0] - 1)]
    vectors = jnp.where((handle < num_study)[..., None], studied, authored)
    if text_vectors is not None:
        written = text_vectors[jnp.clip(handle - num_known, 0, text_vectors.shape[0] - 1)]
        vectors = jnp.where((handle < num_known)[..., None], vectors, written)
    return jnp.where((handle >= 0)[..., None], vectors, 0)
