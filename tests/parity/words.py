"""Random words that make our worlds choose what the original chose."""

import numpy as np


def word_of_index(index, size):
    """The smallest word for which `uniform_index(word, size)` is `index`."""
    return np.uint32(-(-(int(index) << 32) // int(size)))


def turn_words(orientation):
    """Words whose two highest bits are an orientation."""
    return orientation.astype(np.uint32) << np.uint32(30)


def respawn_words(standing, cells, returned, points):
    """Words that bring players back to where the original put them.

    Args:
        standing: int[T, A], cells taken when the first one returns, -1 for players that are away.
        cells: int[T, A], where players are after the step.
        returned: bool[T, A].
        points: int[P], the points, ascending.
    """
    words = np.zeros(standing.shape, np.uint32)
    for step in np.flatnonzero(returned.any(1)):
        taken = set(standing[step].tolist())
        for player in np.flatnonzero(returned[step]):
            free = [point for point in points.tolist() if point not in taken]
            words[step, player] = word_of_index(free.index(cells[step, player]), len(free))
            taken.add(int(cells[step, player]))
    return words
