"""Static configuration of a social world: names and sizes, checked on the host."""

from __future__ import annotations

import dataclasses
import difflib

from jaxworld.core.checks import flag
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.recommenders.registry import recommender_names
from jaxworld.social.vocabulary import TickUnit

CHANNELS = ("feed", "forum", "wom")
FORUM_PRESETS = ("reddit_global", "community_scoped")
FORUM_RECOMMENDERS = ("reddit_hot", "random")
FAN_OPTIONS = ("none", "log_followers", "degree")
EPSILON_SEPARATOR = "+"
_LEAST_BLOCKS, _LEAST_ROWS = 8, 16


@dataclasses.dataclass(frozen=True, kw_only=True)
class SocialConfig:
    """Everything that fixes a shape or a code path. Numbers a study sweeps are in ``SocialParams``.

    Attributes:
        num_personas: N, absent padding rows included.
        num_ties: M, directed entries of the tie lists.
        num_follows: F, directed follows that exist before the run.
        vector_dimensions: D, 0 if the population has no profile vectors.
        max_degree: most ties of one persona.
        num_claims: claim posts published at tick 0 beside the concept.
        channels: any subset of ``feed``, ``forum``, ``wom``; survey waves are set by ``survey``.
        survey: whether survey waves happen at all.
        survey_gated: earlier semantics: waves reach awake personas only and start at tick 1.
        tick_unit: ``hour``, ``day`` or ``week``.
        feed_recommender: a registered name, or ``a+b`` for a mixture (each slot from ``b`` with chance epsilon).
        forum_preset: ``reddit_global`` or ``community_scoped``.
        forum_recommender: ``reddit_hot`` or ``random`` (``reddit_global`` only).
        fan: what ``twhin`` takes as an author's standing: ``degree``, ``log_followers`` or ``none``.
        network_first: ``twitter`` shows ties and followees first (most likes first), then by similarity.
        recency: ``twitter`` multiplies similarity by a recency factor; off in the earlier semantics.
        max_budget: E, slots of a presentation.
        max_window: K, ranked candidates of a presentation.
        stimulus_capacity: S.
        text_capacity: vectors of authored texts that the host can supply, 0 for none.
        max_publications: texts that can be published in one tick.
        max_follows: follows that can be made in one tick.
        max_followees: follows a persona can hold.
        max_peers_told: most peers one teller can tell in a tick.
        max_deliveries: word-of-mouth deliveries of one tick; 0 for as many as the turns can cause.
        num_interventions: scheduled interventions.
        hide_own: authors are not shown their own stimuli.
        hide_seen: nobody is shown the same stimulus twice on one platform.
        idempotent_engagement: a persona's repeated like, repost, quote or vote on a stimulus counts once.
        word_of_mouth_from_rejected: earlier semantics: ignored and rejected turns can spark word of mouth too.
        block_size: most personas ranked at once by a personal order.
    """

    num_personas: int
    num_ties: int = 0
    num_follows: int = 0
    vector_dimensions: int = 0
    max_degree: int = 0
    num_claims: int = 3
    channels: tuple[str, ...] = ("feed",)
    survey: bool = False
    survey_gated: bool = False
    tick_unit: str = "hour"
    feed_recommender: str = "random"
    forum_preset: str = "reddit_global"
    forum_recommender: str = "reddit_hot"
    fan: str = "degree"
    network_first: bool = True
    recency: bool = True
    max_budget: int = 3
    max_window: int = 9
    stimulus_capacity: int = 1024
    text_capacity: int = 0
    max_publications: int = 128
    max_follows: int = 128
    max_followees: int = 16
    max_peers_told: int = 2
    max_deliveries: int = 0
    num_interventions: int = 0
    hide_own: bool = False
    hide_seen: bool = False
    idempotent_engagement: bool = False
    word_of_mouth_from_rejected: bool = False
    block_size: int = 128

    def __post_init__(self) -> None:
        self._check_sizes()
        self._check_names()
        self._check_signals()

    @property
    def num_study(self) -> int:
        """Stimuli published by the study: the concept and the claims."""
        return 1 + self.num_claims

    @property
    def seconds_per_tick(self) -> int:
        """Length of a tick in seconds."""
        return int(TickUnit[self.tick_unit.upper()])

    @property
    def block_rows(self) -> int:
        """Personas in a block: an even split, in eight blocks at least, so that few of the sleeping are ranked."""
        num_blocks = max(-(-self.num_personas // self.block_size), _LEAST_BLOCKS)
        return min(self.num_personas, max(-(-self.num_personas // num_blocks), _LEAST_ROWS))

    @property
    def has_feed(self) -> bool:
        """The feed is on."""
        return "feed" in self.channels

    @property
    def has_forum(self) -> bool:
        """The forum is on."""
        return "forum" in self.channels

    @property
    def has_word_of_mouth(self) -> bool:
        """Word of mouth is on."""
        return "wom" in self.channels

    @property
    def launches(self) -> bool:
        """Word of mouth is the only channel, so the study tells some personas at tick 0."""
        return self.channels == ("wom",)

    @property
    def feed_mixture(self) -> tuple[str, ...]:
        """Names of the feed's recommenders: one, or the two of a mixture."""
        return tuple(self.feed_recommender.split(EPSILON_SEPARATOR))

    def _check_sizes(self) -> None:
        for field in (
            "num_personas",
            "max_budget",
            "max_publications",
            "max_follows",
            "max_followees",
            "max_peers_told",
            "block_size",
        ):
            require(
                _is_int(getattr(self, field)) and getattr(self, field) >= 1,
                field,
                getattr(self, field),
                "use 1 or more",
            )
        for field in (
            "num_ties",
            "num_follows",
            "vector_dimensions",
            "max_degree",
            "num_claims",
            "text_capacity",
            "max_deliveries",
            "num_interventions",
        ):
            require(
                _is_int(getattr(self, field)) and getattr(self, field) >= 0,
                field,
                getattr(self, field),
                "use 0 or more",
            )
        require(self.num_personas < 2**24, "num_personas", self.num_personas, "use fewer than 16,777,216")
        require(
            _is_int(self.max_window) and self.max_window >= self.max_budget,
            "max_window",
            self.max_window,
            f"the candidate window must hold at least the budget of {self.max_budget}",
        )
        require(
            _is_int(self.stimulus_capacity) and self.num_study <= self.stimulus_capacity < 2**24,
            "stimulus_capacity",
            self.stimulus_capacity,
            f"use from {self.num_study} (the study's own stimuli) to 16,777,215",
        )
        require(
            self.num_study + self.num_personas + self.text_capacity < 2**24,
            "text_capacity",
            self.text_capacity,
            "handles of vectors must stay below 16,777,216",
        )
        require(
            self.max_publications <= self.stimulus_capacity,
            "max_publications",
            self.max_publications,
            f"use at most stimulus_capacity = {self.stimulus_capacity}",
        )

    def _check_names(self) -> None:
        for field in dataclasses.fields(self):
            if field.type == "bool":
                flag(field.name, getattr(self, field.name))
        require(isinstance(self.feed_recommender, str), "feed_recommender", self.feed_recommender, "use a name")
        require(isinstance(self.channels, tuple), "channels", self.channels, f"use a tuple of names from {CHANNELS}")
        for channel in self.channels:
            _check_name("channels", channel, CHANNELS)
        require(
            self.channels == tuple(name for name in CHANNELS if name in self.channels),
            "channels",
            self.channels,
            f"name each channel once, in the order {CHANNELS}",
        )
        _check_name("tick_unit", self.tick_unit, tuple(unit.name.lower() for unit in TickUnit))
        _check_name("forum_preset", self.forum_preset, FORUM_PRESETS)
        _check_name("forum_recommender", self.forum_recommender, FORUM_RECOMMENDERS)
        _check_name("fan", self.fan, FAN_OPTIONS)
        require(len(self.feed_mixture) <= 2, "feed_recommender", self.feed_recommender, "mix two recommenders at most")
        for name in self.feed_mixture:
            _check_name("feed_recommender", name, recommender_names())

    def _check_signals(self) -> None:
        from jaxworld.social.recommenders.registry import get_recommender

        if not self.has_feed:
            return
        for name in self.feed_mixture:
            needs = get_recommender(name).needs
            require(
                "vectors" not in needs or self.vector_dimensions > 0,
                "feed_recommender",
                name,
                "it ranks by similarity: give the population profile vectors, or choose another recommender",
            )
            require(
                "graph" not in needs or self.num_ties + self.num_follows > 0,
                "feed_recommender",
                name,
                "it ranks by the graph: give the population ties or follows, or choose another recommender",
            )


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_name(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if value in allowed:
        return
    nearest = difflib.get_close_matches(str(value), allowed, n=1)
    hint = f"did you mean {nearest[0]!r}? " if nearest else ""
    raise ConfigurationError(field, value, f"{hint}use one of {', '.join(allowed)}")
