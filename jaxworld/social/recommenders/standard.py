"""The recommenders the library ships, each a pure function that orders stimuli."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.social.hot_score import hot_limbs
from jaxworld.social.recommenders.context import PersonaBlock, PersonalOrder, RankingContext
from jaxworld.social.recommenders.registry import Recommender, register_recommender
from jaxworld.social.vectors import lookup_vectors
from jaxworld.social.vocabulary import Count, Reason

_FANS_FLOOR = 999
"""The fan factor max(1, log_1000(fans + 1)) is 1 up to this many followers and grows with them beyond."""
_NETWORK_SCORE = np.float32(2.0**28)
_LIKE_STEP = np.float32(32.0)
_AGE_LIMIT = 272


def _make_recency() -> np.ndarray:
    """``ln((271.8 - age) / 100)`` by age in ticks, the recency factor of OASIS's interest ranking."""
    return np.log((271.8 - np.arange(_AGE_LIMIT)) / 100).astype(np.float32)


RECENCY = _make_recency()


def hot_order(context: RankingContext) -> list[jax.Array]:
    """Hot score: logarithm of the net votes plus publication time."""
    config = context.config
    return hot_limbs(context.net_votes, context.stimuli.tick, config.seconds_per_tick, context.params.vote_table)


def degree_order(context: RankingContext) -> list[jax.Array]:
    """Degree centrality of the author (the study has none), then the newest.

    Centrality is degree / (N - 1), so degrees order alike. With ``fan="log_followers"`` the standing is
    max(1, log_1000(followers + 1)), which orders as followers above the floor; with ``none`` all stand alike.
    """
    newest = context.stimuli.tick.astype(jnp.float32)
    if context.config.fan == "none":
        return [newest]
    if context.config.fan == "degree":
        standing = context.of_author(context.params.population.degree, 0)
    else:
        standing = jnp.maximum(context.of_author(context.followers, 0), _FANS_FLOOR)
    return [standing.astype(jnp.float32), newest]


def chronological_order(context: RankingContext) -> list[jax.Array]:
    """The newest first."""
    return [context.stimuli.tick.astype(jnp.float32)]


def following_order(context: RankingContext, block: PersonaBlock) -> PersonalOrder:
    """Only ties and followees, the newest first."""
    newest = jnp.broadcast_to(
        context.stimuli.tick.astype(jnp.float32), (block.index.shape[0], context.stimuli.tick.shape[0])
    )
    return PersonalOrder(score=newest, eligible=block.in_network[:, context.stimuli.author])


def interest_order(context: RankingContext, block: PersonaBlock) -> PersonalOrder:
    """Cosine of profile and stimulus times recency; ties and followees first if the configuration says so.

    Vectors are integers on a grid, so the float32 product is exact in any order and the score is one rounding away
    from it. In-network stimuli, ordered by likes, sit above every score: 2**28 + 32 likes is exact in float32 below
    2**23 likes, and a score is below 2**27. Recency has no value from an age of 272 ticks on; such stimuli rank last
    among candidates outside the network.
    """
    population = context.params.population
    profile = population.profile[block.index]
    params = context.params
    vectors = lookup_vectors(context.stimuli.vector, params.study_vectors, population.profile, params.text_vectors)
    cosine = jnp.matmul(profile, vectors.T, precision="highest")
    score = cosine
    if context.config.recency:
        recency = jnp.asarray(RECENCY)[jnp.clip(context.age, 0, _AGE_LIMIT - 1)]
        score = jnp.where((context.age < _AGE_LIMIT)[None, :], cosine * recency[None, :], -_NETWORK_SCORE)
    if not context.config.network_first:
        return PersonalOrder(score=score)
    likes = _NETWORK_SCORE + _LIKE_STEP * context.counts[:, Count.LIKES].astype(jnp.float32)
    in_network = block.in_network[:, context.stimuli.author]
    return PersonalOrder(
        score=jnp.where(in_network, likes[None, :], score),
        reason=jnp.where(in_network, jnp.int32(Reason.NETWORK), jnp.int32(Reason.INTEREST)),
    )


def community_order(context: RankingContext, block: PersonaBlock) -> PersonalOrder:
    """Forum threads of one's own community by agreement and recency: up - down - age in ticks, never hot.

    Threads the study started are common ground. A persona without a community sees those the study wrote and its own.
    """
    stimuli, community = context.stimuli, context.params.population.community
    score = (context.net_votes - context.age).astype(jnp.float32)
    root_author = stimuli.author[jnp.maximum(stimuli.root, 0)]
    root_community = jnp.where(root_author >= 0, community[jnp.maximum(root_author, 0)], -1)
    mine = community[block.index]
    common = ((root_author < 0) | (stimuli.author < 0))[None, :]
    member = common | (root_community[None, :] == mine[:, None])
    alone = (stimuli.author < 0)[None, :] | (stimuli.author[None, :] == block.index[:, None])
    return PersonalOrder(
        score=jnp.broadcast_to(score[None, :], member.shape),
        eligible=jnp.where((mine >= 0)[:, None], member, alone),
    )


RANDOM = register_recommender(
    Recommender("random", "sample", None, Reason.RANDOM, summary="uniform without replacement")
)
REDDIT_HOT = register_recommender(
    Recommender("reddit_hot", "shared", hot_order, Reason.SOCIAL_PROOF, summary="hot score: votes and freshness")
)
TWITTER = register_recommender(
    Recommender(
        "twitter",
        "personal",
        interest_order,
        Reason.INTEREST,
        needs=frozenset({"vectors"}),
        summary="network first, then embedding similarity times recency",
    )
)
TWHIN = register_recommender(
    Recommender(
        "twhin",
        "shared",
        degree_order,
        Reason.SOCIAL_PROOF,
        needs=frozenset({"graph"}),
        summary="degree centrality of the author, then the newest",
    )
)
CHRONOLOGICAL = register_recommender(
    Recommender("chronological", "shared", chronological_order, Reason.RECENCY, summary="the newest first")
)
FOLLOWING_ONLY = register_recommender(
    Recommender(
        "following_only",
        "personal",
        following_order,
        Reason.NETWORK,
        needs=frozenset({"graph"}),
        summary="only ties and followees, the newest first",
    )
)
COMMUNITY_SCOPED = Recommender("community_scoped", "personal", community_order, Reason.FORUM)
"""The forum's scoped order; a preset of the forum, not a name for the feed."""
