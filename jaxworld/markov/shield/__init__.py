"""Shields that keep the chance of harm within a budget, their exact verification, and an ablation."""

from jaxworld.markov.shield.allocate import ALLOCATORS
from jaxworld.markov.shield.mixture import MixtureModel, MixtureShield, build_mixture, dead_ends
from jaxworld.markov.shield.model import ShieldModel, build_shield
from jaxworld.markov.shield.report import ShieldReport, ShieldSettings, run_shield
from jaxworld.markov.shield.simulate import SimulatedRisk, simulate_shield
from jaxworld.markov.shield.tables import ShieldTables, make_tables, next_level, shield_budget, shield_mask
from jaxworld.markov.shield.verify import Verification, verify_shield
from jaxworld.markov.shield.world import ShieldObservation, TransitionShield

__all__ = [
    "ALLOCATORS",
    "MixtureModel",
    "MixtureShield",
    "ShieldModel",
    "ShieldObservation",
    "ShieldReport",
    "ShieldSettings",
    "ShieldTables",
    "SimulatedRisk",
    "TransitionShield",
    "Verification",
    "build_mixture",
    "build_shield",
    "dead_ends",
    "make_tables",
    "next_level",
    "run_shield",
    "shield_budget",
    "shield_mask",
    "simulate_shield",
    "verify_shield",
]
