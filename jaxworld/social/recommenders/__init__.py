"""Recommenders: who sees what. See ``registry`` for adding one, ``standard`` for those shipped."""

from jaxworld.social.recommenders.registry import (
    Recommender,
    get_recommender,
    recommender_names,
    register_recommender,
)

__all__ = ["Recommender", "get_recommender", "recommender_names", "register_recommender"]
