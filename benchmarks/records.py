"""Records of a long run, byte for byte, and what they cost: ``python -m benchmarks.records``.

One world is run with external agents; the digest over the canonical text of all its deltas must be the same in another
process, for any number of personas a slice, and after resuming from a checkpoint in the middle. Then it states records
a second, bytes a persona and tick, and what reading one tick of a large world holds at once.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import harness
from jaxworld.social.host import SocialWorld, drive, load_checkpoint, save_checkpoint
from jaxworld.social.records import (
    BeliefChange,
    Brief,
    Claim,
    Edge,
    Graph,
    Pack,
    PartitionHeader,
    Persona,
    Population,
    Product,
    Scenario,
    Turn,
    Variant,
    WorldConfig,
    WorldDelta,
    to_records,
)

CHUNKS = (1, 7, 256)
ACTIONS = {
    "social_feed": ("like", "comment", "like", "repost", "post", "follow", "like", "quote"),
    "forum": ("upvote", "reply", "downvote", "upvote", "post", "upvote"),
    "wom": ("buy", "comment", "ask_peer"),
}
WRITING = ("comment", "post", "quote", "reply", "ask_peer")
ONE_IN = 16
"""One presentation in so many is reacted to."""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Command-line options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.records", description=__doc__.split("\n")[0])
    parser.add_argument("--personas", type=int, default=1000)
    parser.add_argument("--ticks", type=int, default=200)
    parser.add_argument("--large", type=int, default=20_000, help="personas of the world one tick of which is read")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"))
    parser.add_argument("--digest-only", action="store_true", help="run once, print the digest and end")
    options = parser.parse_args(arguments)
    if min(options.personas, options.large) < 8 or options.ticks < 2:
        parser.error("use 8 personas and 2 ticks or more")
    return options


def make_population(num_personas: int) -> Population:
    """A ring in which everybody is tied to the two next on each side, and one in eight to somebody far away."""
    ids = [f"p-{number:06d}" for number in range(num_personas)]
    rng = np.random.default_rng(1)
    pairs = {tuple(sorted((at, (at + step) % num_personas))) for at in range(num_personas) for step in (1, 2)}
    far = rng.integers(num_personas, size=(num_personas // 8, 2))
    pairs |= {(int(min(u, v)), int(max(u, v))) for u, v in far if u != v}
    weights = rng.integers(1, 1001, len(pairs)) / 1000
    edges = [
        Edge(u=ids[u], v=ids[v], weight=float(weight)) for (u, v), weight in zip(sorted(pairs), weights, strict=True)
    ]
    return Population(personas=tuple(Persona(persona_id=name) for name in ids), graph=Graph(edges=tuple(edges)))


def make_header(population: Population, ticks: int) -> PartitionHeader:
    """Hourly ticks on all channels, a wave a day."""
    claims = tuple(Claim(id=f"claim-{number}", text=f"Claim number {number}.") for number in (1, 2, 3))
    return PartitionHeader(
        pack=Pack(brief=Brief(product=Product(description="A lamp that never goes out."), claims=claims)),
        population=population.manifest,
        scenario=Scenario(
            variant=Variant(variant_id="records"),
            tick_unit="hour",
            horizon_ticks=ticks,
            channels=frozenset({"social_feed", "forum", "wom"}),
            survey_every=24,
        ),
        replicate_seed=7,
    )


def make_config() -> WorldConfig:
    """Room for what is going to be published, so that no time goes into growing."""
    return WorldConfig(stimulus_capacity=8192)


def agent(requests: Sequence[Any]) -> list[Any]:
    """Decides by a hash of who, where and when; most of the time lets it pass."""
    return [_react(request) for request in requests]


def _react(request: Any) -> Any:
    impression = request.presentation.impression
    seat = f"{impression.tick}:{impression.channel.value}:{impression.persona_id}"
    word = int.from_bytes(hashlib.sha256(seat.encode()).digest()[:4], "big")
    if impression.channel == "survey_room" or word % ONE_IN:
        return None
    actions = ACTIONS[impression.channel.value]
    action = actions[(word // ONE_IN) % len(actions)]
    text = f"{action} at {impression.tick} by {impression.persona_id}" if action in WRITING else None
    strength = BeliefChange(dimensions={"trust": (word >> 16) % 1000 / 1000})
    return request.react(word % len(impression.exposures), action, text, belief_change=strength)


class Digest:
    """SHA-256 over canonical texts, record by record, so that no tick is held as a whole."""

    def __init__(self) -> None:
        self._hasher = hashlib.sha256()
        self.characters = 0

    def add(self, delta: WorldDelta) -> None:
        """Take in one delta."""
        self._hasher.update(f"{delta.tick}:{','.join(delta.interventions)}".encode())
        for records in (delta.published, delta.dropped, delta.presentations):
            for record in records:
                text = record.to_json()
                self.characters += len(text)
                self._hasher.update(text.encode())

    def __str__(self) -> str:
        return self._hasher.hexdigest()


def first_run(options: argparse.Namespace, checkpoint: Path | None) -> tuple[Digest, str, dict[int, tuple[Turn, ...]]]:
    """Run with the agents. Returns the digest of all ticks, that of the second half, and the turns."""
    population = make_population(options.personas)
    world = SocialWorld(make_header(population, options.ticks), population, make_config())
    whole, second_half, turns = Digest(), Digest(), {}
    for log in drive(world, agent):
        whole.add(log.delta)
        if log.delta.tick > options.ticks // 2:
            second_half.add(log.delta)
        elif log.delta.tick == options.ticks // 2 and checkpoint is not None:
            save_checkpoint(world, checkpoint)
        turns[log.delta.tick] = tuple(turn for turn in log.turns if turn.impression.channel != "survey_room")
    return whole, str(second_half), turns


def replayed(options: argparse.Namespace, turns: dict[int, tuple[Turn, ...]]) -> tuple[dict[int, str], dict[str, Any]]:
    """Replay. Returns the digest for every size of a slice, and what making records costs."""
    population = make_population(options.personas)
    world = SocialWorld(make_header(population, options.ticks), population, make_config())
    digests = {chunk: Digest() for chunk in CHUNKS}
    num_records, cpu, array_bytes = 0, 0.0, 0
    for tick in range(options.ticks):
        delta = world.step(tick, turns[tick - 1]) if tick else world.reset()
        began = time.process_time()
        num_records += count_records(delta)
        cpu += time.process_time() - began
        array_bytes += sum(value.nbytes for value in vars(world.issued).values() if isinstance(value, np.ndarray))
        for chunk, digest in digests.items():
            digest.add(to_records(world.issued, world.ledger, chunk))
    seats = options.personas * options.ticks
    costs = {
        "records": num_records,
        "records_per_cpu_s": num_records / cpu,
        "array_bytes_per_persona_tick": array_bytes / seats,
        "text_bytes_per_persona_tick": digests[CHUNKS[0]].characters / seats,
        "stimuli": len(world.ledger.stimuli),
    }
    return {chunk: str(digest) for chunk, digest in digests.items()}, costs


def count_records(delta: WorldDelta) -> int:
    """Make every record of a delta and count them, parts included."""
    total = 1 + len(delta.published) + 2 * sum(1 for _ in delta.dropped)
    # A presentation, its impression and its view; an exposure and a context each.
    return total + sum(3 + 2 * len(shown.impression.exposures) for shown in delta.presentations)


def resumed(options: argparse.Namespace, checkpoint: Path, turns: dict[int, tuple[Turn, ...]]) -> str:
    """The digest of the second half, from the checkpoint on."""
    population = make_population(options.personas)
    header = make_header(population, options.ticks)
    world = load_checkpoint(checkpoint, header, population, make_config())
    digest = Digest()
    for tick in range(options.ticks // 2 + 1, options.ticks):
        digest.add(world.step(tick, turns[tick - 1]))
    return str(digest)


def other_process(options: argparse.Namespace) -> str:
    """The digest of the whole run in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.records", "--digest-only"]
    command += ["--personas", str(options.personas), "--ticks", str(options.ticks)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]


def large_tick(num_personas: int) -> dict[str, Any]:
    """What Python holds while one tick of a large world is read, slice by slice and all at once."""
    population = make_population(num_personas)
    config = WorldConfig(stimulus_capacity=64, rhythm=(("hour", 1.0),))
    world = SocialWorld(make_header(population, 3), population, config)
    world.reset()
    delta = world.step(1, [])

    def peak(read: Any) -> int:
        tracemalloc.start()
        kept = read()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        del kept
        return most

    return {
        "personas": num_personas,
        "presentations": len(delta.presentations),
        "peak_bytes_slice_by_slice": peak(lambda: count_records(delta)),
        "peak_bytes_all_at_once": peak(lambda: (list(delta.dropped), list(delta.presentations))),
        "process_peak_bytes": harness.peak_memory_bytes(),
    }


def lines_of(result: dict[str, Any]) -> Iterable[str]:
    """The result in words."""
    costs, large = result["costs"], result["large"]
    yield f"{result['personas']:,} personas, {result['ticks']} ticks, {costs['records']:,} records, " + (
        f"{costs['stimuli']:,} stimuli; digest {result['digest'][:16]}"
    )
    for name, same in result["identical"].items():
        yield f"  {name}: {'identical' if same else 'DIFFERENT'}"
    yield f"records made in a CPU second: {costs['records_per_cpu_s']:,.0f}"
    yield (
        f"bytes a persona and tick: {costs['array_bytes_per_persona_tick']:,.0f} as arrays, "
        f"{costs['text_bytes_per_persona_tick']:,.0f} as canonical text"
    )
    yield (
        f"one tick of {large['personas']:,} personas ({large['presentations']:,} presentations): "
        f"{large['peak_bytes_slice_by_slice'] / 2**20:.1f} MiB at once slice by slice, "
        f"{large['peak_bytes_all_at_once'] / 2**20:.0f} MiB as lists; "
        f"whole process {(large['process_peak_bytes'] or 0) / 2**20:,.0f} MiB"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and write ``records.json``; 1 if anything differs."""
    options = parse(arguments)
    with contextlib.ExitStack() as stack:
        if options.digest_only:
            print(first_run(options, None)[0])
            return 0
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        whole, second_half, turns = first_run(options, folder / "half.npz")
        digests, costs = replayed(options, turns)
        identical = {f"{chunk} personas a slice": digest == str(whole) for chunk, digest in digests.items()}
        identical["resumed in the middle"] = resumed(options, folder / "half.npz", turns) == second_half
    identical["another process"] = other_process(options) == str(whole)
    result = {
        "personas": options.personas,
        "ticks": options.ticks,
        "digest": str(whole),
        "identical": identical,
        "costs": costs,
        "large": large_tick(options.large),
        "machine": harness.machine_facts(),
    }
    print("\n".join(lines_of(result)))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "records.json").write_text(json.dumps(result, indent=1))
    return 0 if all(identical.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
