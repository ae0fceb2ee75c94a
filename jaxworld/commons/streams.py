"""The named random streams of a commons and what each draw is keyed by.

==========================  ===============  ==================================================
stream                      identity         use
==========================  ===============  ==================================================
commons/initial             the world        word 0: the first stock
commons/environment         the world        words 0 and 1: the shock on this turn's regrowth
commons/ration              seat             word 0: place in a random order of service
commons/allocation          unit             word 0: who gets this whole unit
observe/noise               seat             noise of what is delivered (the pipeline's own stream)
commons/agents              seat             word 0: a random agent's request
==========================  ===============  ==================================================

Nothing here depends on how much was drawn elsewhere, so two runs that differ in noise share first stocks and shocks.
"""

from __future__ import annotations

from jaxworld.core.random import register_purpose

INITIAL = register_purpose("commons/initial")
ENVIRONMENT = register_purpose("commons/environment")
RATION = register_purpose("commons/ration")
ALLOCATION = register_purpose("commons/allocation")
AGENTS = register_purpose("commons/agents")
