"""Slow, obvious references for cascades: trees as graphs of networkx, and share trees replayed turn by turn."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import networkx as nx


def trees(parent, mask=None) -> dict[int, dict[str, float]]:
    """Figures of each tree by its root, from shortest paths between all pairs."""
    nodes = [node for node in range(len(parent)) if mask is None or mask[node]]
    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((node, int(parent[node])) for node in nodes if parent[node] >= 0)
    found = {}
    for members in nx.connected_components(graph):
        (root,) = (node for node in members if parent[node] < 0)
        steps = nx.single_source_shortest_path_length(graph, root)
        levels = Counter(depth for depth in steps.values() if depth > 0)
        apart = [nx.shortest_path_length(graph, a, b) for a, b in combinations(members, 2)]
        found[root] = {
            "scale": len(members),
            "depth": max(steps.values()),
            "max_breadth": max(levels.values(), default=0),
            "distance": sum(apart),
            "structural_virality": sum(apart) / len(apart) if apart else 0.0,
        }
    return found


class ShareLog:
    """Who has each followed stimulus from whom, replayed from turns in words.

    ``turns`` are tuples (persona, subject, action) that landed on the feed, in any order.
    """

    def __init__(self, roots, num_study: int, study: int, edges=()) -> None:
        self.roots, self.edges = list(roots), [tuple(edge) for edge in edges]
        self.author = dict.fromkeys(range(num_study), study)
        self.tree = {stimulus: number for number, stimulus in enumerate(self.roots) if stimulus < num_study}
        self.joined = {number: {study: (None, 0)} for number in self.tree.values()}
        for number in range(len(self.roots)):
            self.joined.setdefault(number, {})

    def tick(self, now: int, shares, published) -> None:
        """Shares of this tick, then what is published: (stimulus, author, quoted stimulus or None)."""
        before = {number: dict(joined) for number, joined in self.joined.items()}
        for persona, subject in sorted(shares, key=lambda share: share[1]):
            number = self.tree.get(subject)
            if number is not None and persona not in self.joined[number]:
                self.joined[number][persona] = (self._source(persona, subject, before[number]), now)
        for stimulus, author, quoted in published:
            self.author[stimulus] = author
            if stimulus in self.roots:
                self.tree[stimulus] = self.roots.index(stimulus)
                self.joined[self.tree[stimulus]][author] = (None, now)
            elif quoted in self.tree:
                self.tree[stimulus] = self.tree[quoted]

    def _source(self, persona, subject, joined) -> int:
        if subject in self.roots:
            heard = [
                (-joined[other][1], other) for viewer, other in self.edges if viewer == persona and other in joined
            ]
            if heard:
                return min(heard)[1]
        return self.author[subject]
