"""Cedar Grove: a commons played with cards, in integers throughout."""

from jaxworld.commons.cards.agents import AGENTS, CardPlayers
from jaxworld.commons.cards.rules import Card
from jaxworld.commons.cards.world import CedarGrove

__all__ = ["AGENTS", "Card", "CardPlayers", "CedarGrove"]
