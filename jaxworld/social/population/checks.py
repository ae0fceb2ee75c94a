"""Host-side checks of everything that enters a population."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, require

STRONGEST_TIE = 1000
LARGEST_COUNT = 2**31 - 1


def as_integers(field: str, value: Any) -> np.ndarray:
    """``value`` as int64, refusing anything that is not a whole number in the range of int32."""
    try:
        array = np.asarray(value)
        numbers = array.astype(np.float64) if array.dtype.kind in "iufb" else None
    except (TypeError, ValueError) as error:
        raise ConfigurationError(field, value, "give a rectangular array of integers") from error
    if numbers is None or array.dtype.kind == "b":
        raise ConfigurationError(field, value, "give integers")
    whole = np.isfinite(numbers) & (numbers == np.floor(numbers)) & (np.abs(numbers) <= LARGEST_COUNT)
    require(bool(whole.all()), field, _first(array, whole), "use whole numbers within the range of int32")
    return array.astype(np.int64)


def as_numbers(field: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """``value`` broadcast to ``shape`` as float32, refusing NaN, infinities and negative numbers."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(field, value, "give numbers") from error
    if array.ndim == 0:
        array = np.broadcast_to(array, shape)
    require(array.shape == shape, field, array.shape, f"give one number, or an array of shape {list(shape)}")
    with np.errstate(over="ignore"):
        single = array.astype(np.float32)
    usable = np.isfinite(single) & (array >= 0)
    require(bool(usable.all()), field, _first(array, usable), "use finite numbers of at least 0")
    return single


def _first(array: np.ndarray, usable: np.ndarray) -> Any:
    """The first entry that a check refused (or the array's shape when there is none)."""
    refused = array[~usable] if array.ndim else array.reshape(1)
    return refused[0].item() if refused.size else array.shape


def check_pairs(field: str, value: Any, num: int, *, directed: bool = False) -> np.ndarray:
    """Index pairs ``int64[E, 2]`` in range, without self-pairs and without repetitions (in either direction)."""
    if value is None:
        return np.zeros((0, 2), np.int64)
    pairs = as_integers(field, value)
    if pairs.size == 0:
        return np.zeros((0, 2), np.int64)
    require(pairs.ndim == 2 and pairs.shape[1] == 2, field, pairs.shape, "give pairs, an array of shape [number, 2]")
    inside = ((pairs >= 0) & (pairs < num)).all(axis=1)
    require(bool(inside.all()), field, pairs[np.argmin(inside)].tolist(), f"use persona indices from 0 to {num - 1}")
    self_pair = pairs[:, 0] == pairs[:, 1]
    require(not self_pair.any(), field, pairs[np.argmax(self_pair)].tolist(), "remove pairs of a persona with itself")
    sides = pairs if directed else np.sort(pairs, axis=1)
    unique, counts = np.unique(sides[:, 0] * num + sides[:, 1], return_counts=True)
    if counts.max() > 1:
        key = int(unique[np.argmax(counts > 1)])
        raise ConfigurationError(field, [key // num, key % num], "give each pair once")
    return pairs


def check_strengths(value: Any, ties: np.ndarray) -> np.ndarray:
    """Tie strengths ``int64[E]`` in thousandths, 1 to 1000."""
    strengths = as_integers("strengths", value)
    if strengths.ndim == 0:
        strengths = np.full(len(ties), int(strengths), np.int64)
    require(strengths.shape == (len(ties),), "strengths", strengths.shape, f"give one for each of the {len(ties)} ties")
    usable = (strengths >= 1) & (strengths <= STRONGEST_TIE)
    require(bool(usable.all()), "strengths", _first(strengths, usable), "use thousandths, whole numbers 1 to 1000")
    return strengths


def check_counts(field: str, value: Any, num: int) -> np.ndarray:
    """Counts ``int64[N]`` of at least 0."""
    counts = as_integers(field, value)
    require(counts.shape == (num,), field, counts.shape, f"give one for each of the {num} personas")
    require(bool((counts >= 0).all()), field, int(counts.min()), "use counts of at least 0")
    return counts


def check_involvement(value: Any, num: int) -> np.ndarray:
    """Involvement ``float32[N]`` of at least 0."""
    return as_numbers("involvement", value, (num,))


def check_rhythm(value: Any, num: int) -> np.ndarray:
    """Activity by hour ``float32[N, 24]`` in [0, 1]."""
    rhythm = as_numbers("rhythm", value, (num, 24))
    require(bool((rhythm <= 1).all()), "rhythm", float(rhythm.max()), "divide each row by its largest entry")
    return rhythm


def check_community(value: Any, num: int) -> np.ndarray:
    """Community codes ``int32[N]``: -1 for none, otherwise every number from 0 to the largest is used."""
    if value is None:
        return np.full(num, -1, np.int32)
    codes = as_integers("community", value)
    require(codes.shape == (num,), "community", codes.shape, f"give one for each of the {num} personas")
    require(bool((codes >= -1).all()), "community", int(codes.min()), "use -1 for personas without a community")
    used = np.unique(codes[codes >= 0])
    dense = np.array_equal(used, np.arange(len(used)))
    require(dense, "community", used.tolist(), "number the communities 0, 1, 2, ... without gaps")
    return codes.astype(np.int32)


def check_tie_rows(row_offsets: Any, neighbor: Any, tie_strength: Any) -> None:
    """Check compressed tie rows made elsewhere: offsets, order within rows, strengths, symmetry.

    Raises:
        ConfigurationError: naming ``row_offsets``, ``neighbor`` or ``tie_strength``.
    """
    offsets, ends, strengths = (
        as_integers(field, value)
        for field, value in (("row_offsets", row_offsets), ("neighbor", neighbor), ("tie_strength", tie_strength))
    )
    num = len(offsets) - 1
    rising = num >= 0 and offsets[0] == 0 and offsets[-1] == len(ends) and bool((np.diff(offsets) >= 0).all())
    require(rising, "row_offsets", offsets.tolist()[:8], f"let them rise from 0 to the {len(ends)} neighbours")
    require(strengths.shape == ends.shape, "tie_strength", strengths.shape, f"give one for each of the {len(ends)}")
    in_range = (strengths >= 1) & (strengths <= STRONGEST_TIE)
    require(bool(in_range.all()), "tie_strength", _first(strengths, in_range), "use thousandths, 1 to 1000")
    inside = (ends >= 0) & (ends < num)
    require(bool(inside.all()), "neighbor", _first(ends, inside), f"use persona indices from 0 to {num - 1}")
    rows = np.repeat(np.arange(num), np.diff(offsets))
    require(not (rows == ends).any(), "neighbor", "a persona tied to itself", "remove self-ties")
    forward = rows * num + ends
    ascending = bool((np.diff(forward) > 0).all())
    require(ascending, "neighbor", "not ascending", "sort each persona's neighbours and list each once")
    backward = ends * num + rows
    order = np.argsort(backward)
    require(np.array_equal(backward[order], forward), "neighbor", "one-sided tie", "store each tie from both ends")
    same = np.array_equal(strengths[order], strengths)
    require(same, "tie_strength", "differs by direction", "give a tie the same strength from both ends")


def check_population(population: Any) -> None:
    """Check the arrays of a population made elsewhere, for example by hand or by a file reader.

    Raises:
        ConfigurationError: naming the field that breaks a promise of :class:`Population`.
    """
    num = population.identity.shape[0]
    check_tie_rows(population.row_offsets, population.neighbor, population.tie_strength)
    require(len(population.row_offsets) == num + 1, "row_offsets", len(population.row_offsets), f"give {num + 1}")
    degree = np.diff(np.asarray(population.row_offsets))
    require(np.array_equal(population.degree, degree), "degree", "not the row lengths", "count each persona's ties")
    check_involvement(population.involvement, num)
    check_community(population.community, num)
    check_counts("followers", population.followers, num)
    follows = check_pairs("follows", population.follows, num, directed=True)
    key = follows[:, 0] * num + follows[:, 1]
    require(bool((np.diff(key) > 0).all()), "follows", "not sorted", "sort by follower, then followee")
    if population.rhythm is not None:
        check_rhythm(population.rhythm, num)
    profile = np.asarray(population.profile)
    whole = profile.ndim == 2 and profile.shape[0] == num and bool((profile == np.rint(profile)).all())
    require(whole, "profile", profile.shape, "pass vectors through quantize_unit_vectors")
