"""Floor 3, the social family: personas meet stimuli in a survey room, a feed, a forum and by word of mouth."""

from jaxworld.core.registry import register
from jaxworld.social.build import PRESETS, configure, make_preset, make_social
from jaxworld.social.config import SocialConfig
from jaxworld.social.params import Interventions, SocialParams, make_params
from jaxworld.social.policies import ARCHETYPES, DEFAULT_MIX, RuleBasedPolicy, Traits, make_policy, make_traits
from jaxworld.social.population import (
    Population,
    from_csv_folder,
    from_networkx,
    generate_population,
    load_population,
    named_network,
)
from jaxworld.social.recommenders import Recommender, get_recommender, recommender_names, register_recommender
from jaxworld.social.state import ChannelView, Drops, SocialInfo, SocialObservation, SocialState, Stimuli, TurnBatch
from jaxworld.social.vocabulary import (
    Action,
    Channel,
    DropReason,
    InterventionKind,
    Platform,
    Reason,
    StimulusKind,
    TickUnit,
)
from jaxworld.social.world import SocialWorld

for _name, (_, _summary) in PRESETS.items():
    register(_name, make_preset(_name), summary=_summary)

__all__ = [
    "ARCHETYPES",
    "DEFAULT_MIX",
    "PRESETS",
    "Action",
    "Channel",
    "ChannelView",
    "DropReason",
    "Drops",
    "InterventionKind",
    "Interventions",
    "Platform",
    "Population",
    "Reason",
    "Recommender",
    "RuleBasedPolicy",
    "SocialConfig",
    "SocialInfo",
    "SocialObservation",
    "SocialParams",
    "SocialState",
    "SocialWorld",
    "Stimuli",
    "StimulusKind",
    "TickUnit",
    "Traits",
    "TurnBatch",
    "configure",
    "from_csv_folder",
    "from_networkx",
    "generate_population",
    "get_recommender",
    "load_population",
    "make_params",
    "make_policy",
    "make_preset",
    "make_social",
    "make_traits",
    "named_network",
    "recommender_names",
    "register_recommender",
]
