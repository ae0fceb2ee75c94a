"""What the original keeps, as arrays in the order and coding of our worlds."""

import re

import numpy as np

from tests.parity.recorder.windows import windows

FLAGS = ("cooldown", "freeze", "frozen", "countdown", "ready", "indicator", "ends", "player")


class Reader:
    """Reads states of one episode. Cells are `row * columns + column`, sites and players in ascending order."""

    def __init__(self, original):
        self.original = original
        rows = original.layout.split("\n")
        self.columns = max(map(len, rows))
        pieces = original.observe("PROBE.PIECES")
        self._cells = pieces[:, 2] * self.columns + pieces[:, 1]
        self._players = self._rows(lambda kind, player: player > 0, by_player=True)
        self._sites = self._rows(lambda kind, player: kind in ("apple", "coin") or kind.startswith("resource"))
        self._grass = self._rows(lambda kind, player: kind == "grass")
        markers = self._rows(lambda kind, player: kind == "avatarReadyToInteractMarker")
        # They are made together with their players, in the same order.
        self._markers = sorted(markers, key=lambda row: int(original.objects[row][0].rsplit("_", 1)[1]))
        self.site_cells = self._cells[self._sites].astype(np.int16)
        self.site_names = [original.objects[row][0] for row in self._sites]
        self.player_names = [original.objects[row][0] for row in self._players]
        self.site_of = {name: site for site, name in enumerate(self.site_names)}
        self.player_of = {name: player for player, name in enumerate(self.player_names)}
        # Of every site: for each state it can be in, (class that is there or 0, neighbour class while it waits or -1).
        self._codes = [
            [_site_code(state, original.objects[row][3]) for state in original.objects[row][3]] for row in self._sites
        ]

    def _rows(self, chosen, by_player=False):
        rows = [row for row, (_, kind, player, _) in enumerate(self.original.objects) if chosen(kind, player)]
        key = (lambda row: self.original.objects[row][2]) if by_player else (lambda row: self._cells[row])
        return np.asarray(sorted(rows, key=key), np.int64)

    def state(self):
        """The state as a dict of integer arrays."""
        pieces = self.original.observe("PROBE.PIECES")
        flags = dict(zip(FLAGS, self.original.observe("PROBE.AVATARS").T, strict=True))
        own = pieces[self._players]
        waiting = [self.original.objects[row][3].index("playerWait") for row in self._players]
        alive = own[:, 0] != waiting
        codes = np.asarray([self._codes[i][state] for i, state in enumerate(pieces[self._sites, 0])]).reshape(-1, 2)
        state = {
            "cell": own[:, 2] * self.columns + own[:, 1],
            "orientation": own[:, 3],
            "alive": alive,
            "frames": own[:, 4],
            "cooldown": flags["cooldown"],
            "freeze": flags["freeze"],
            "frozen": flags["frozen"],
            "site": codes[:, 0],
        }
        if len(self._grass):
            state["neighbours"] = codes[:, 1]
            state["bare"] = pieces[self._grass, 0] == 1
        if self.original.has("INVENTORY"):
            state |= {name: flags[name] for name in ("countdown", "ready", "indicator", "ends")}
            state["marker"] = np.asarray(
                [_marker(self.original.objects[row][3][pieces[row, 0]]) for row in self._markers]
            )
            state["inventory"] = self.original.each("INVENTORY")
            state["site_class"] = np.asarray([_number(self.original.objects[row][1]) for row in self._sites])
            state["site_frames"] = np.minimum(pieces[self._sites, 4], 1000)
            state["health"] = pieces[self._sites, 5]
        return {name: value.astype(np.int16) for name, value in state.items()}

    def observation(self):
        """The public scalars and vectors of every player, float32."""
        names = (
            "READY_TO_SHOOT",
            "INVENTORY",
            "INTERACTION_INVENTORIES",
            "MISMATCHED_COIN_COLLECTED_BY_PARTNER",
        )
        return {name: self.original.each(name).astype(np.float32) for name in names if self.original.has(name)}

    def beams(self):
        """Which cells a beam lights, bool[cells]."""
        cells = self.original.observe("PROBE.CELLS")
        layers = [i for i, name in enumerate(self.original.layers) if name.startswith("beam")]
        return (cells[:, :, layers] > 0).any(2).reshape(-1)

    def choices(self):
        """What the last step drew: ranks of movers and shooters, and sites that sprouted."""
        move, beam = [], []
        sprouted = np.zeros(len(self._sites), np.int8)
        site = None
        for kind, name, value in self.original.log():
            if kind == "u":
                site = None
                priority = int(re.search(r"_priority_(\d+)_", name)[1])
                if priority == 150:
                    move.append(self.player_of[value])
                elif priority == 140:
                    beam.append(self.player_of[value])
                elif value in self.site_of and priority in (10, 100):
                    site = self.site_of[value]
                    sprouted[site] = 1 if priority == 10 else 0
            elif site is not None:
                sprouted[site] = self._drawn(name, value, site)
        return {
            "move": _ranks(move),
            "beam": _ranks(beam) if beam else np.arange(self.original.num_players, dtype=np.int8),
            "sprouted": sprouted,
        }

    def _drawn(self, function, value, site):
        """1 if a resource's draw says that it comes back; the class of a coin that appears."""
        if function == "choice":
            states = self.original.objects[self._sites[site]][3]
            return _site_code(value, states)[0]
        return int(float(value) < self._rate(site))

    def _rate(self, site):
        kind = self.original.objects[self._sites[site]][1]
        for component in self.original.settings.simulation.prefabs[kind]["components"]:
            if component["component"] == "Resource":
                return component["kwargs"]["regenerationRate"]
        raise KeyError(kind)

    def windows(self):
        """Every player's egocentric window by what it shows, int8[A, rows, columns] each."""
        orientations = self.original.observe("PROBE.PIECES")[self._players, 3]
        return windows(self.original.each("PROBE.WINDOW"), self.original.sprites, self.original.layers, orientations)


def _number(name):
    """The number in the name of a prefab."""
    return int(re.search(r"\d+", name)[0])


def _ranks(order):
    """The rank of every player from the order in which they came."""
    ranks = np.empty(len(order), np.int8)
    ranks[np.asarray(order)] = np.arange(len(order))
    return ranks


def _site_code(state, states):
    """(class that is there, neighbour class of a waiting apple) of a state's name."""
    waiting = re.search(r"[wW]ait(?:_(\d+))?$", state)
    if waiting:
        return 0, int(waiting[1]) if waiting[1] else -1
    resource = re.search(r"resource_class(\d+)$", state)
    if resource:
        return int(resource[1]), -1
    live = [name for name in states if not re.search(r"[wW]ait", name)]
    return live.index(state) + 1, -1


def _marker(state):
    """0 for none, 1 for ready, 1 + k for the k-th colour of a result."""
    colour = re.fullmatch(r"resultIndicatorColor(\d+)", state)
    return 1 + int(colour[1]) if colour else int(state == "ready")
