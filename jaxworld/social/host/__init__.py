"""The host port of social worlds: records in, records out."""

from jaxworld.social.host.checkpoint import load_checkpoint, save_checkpoint
from jaxworld.social.host.driver import AgentFailure, Request, TickLog, drive, each
from jaxworld.social.host.people import population_records
from jaxworld.social.host.replay import DivergenceError, Recording, record, replay, resume, verify
from jaxworld.social.host.rollouts import drive_arrays
from jaxworld.social.host.world import SocialWorld

__all__ = [
    "AgentFailure",
    "DivergenceError",
    "Recording",
    "Request",
    "SocialWorld",
    "TickLog",
    "drive",
    "drive_arrays",
    "each",
    "load_checkpoint",
    "population_records",
    "record",
    "replay",
    "resume",
    "save_checkpoint",
    "verify",
]
