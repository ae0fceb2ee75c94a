"""A long sweep that is killed again and again, beside one that is left alone: ``python -m benchmarks.interrupted``.

Both are the command ``jaxworld sweep`` in a process of its own. One runs through; the other receives SIGKILL at random
moments, is started again with the same command line each time, and has to end with the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import harness

ROOT = Path(__file__).resolve().parent.parent


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Command-line options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interrupted", description=__doc__.split("\n")[0])
    parser.add_argument("--worlds", type=int, default=100_000, help="seeded worlds of each recommender")
    parser.add_argument("--personas", type=int, default=200)
    parser.add_argument("--ticks", type=int, default=48)
    parser.add_argument("--recommenders", default="random,reddit_hot")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the moments of killing")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks/interrupted"))
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both, compare, and write ``interrupted.json``."""
    options = parse(arguments)
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    whole = finish(start(options, "whole"))
    killed = [kill_at_random(options, whole["wall_s"], dice) for dice in moments(options)]
    resumed = finish(start(options, "killed"))
    digests = {name: digest(options.out / name / "sweep.parquet") for name in ("whole", "killed")}
    results = {
        "machine": harness.machine_facts(),
        "worlds": options.worlds * len(options.recommenders.split(",")),
        "personas": options.personas,
        "ticks": options.ticks,
        "whole": whole,
        "kills": killed,
        "resumed": resumed,
        "table_bytes": (options.out / "whole" / "sweep.parquet").stat().st_size,
        "sha256": digests,
        "equal": digests["whole"] == digests["killed"],
    }
    (options.out / "interrupted.json").write_text(json.dumps(results, indent=2) + "\n")
    show(results)
    return 0 if results["equal"] else 1


def moments(options: argparse.Namespace) -> list[float]:
    """For each kill, the share of the time of a whole run after which it comes; together less than one run."""
    dice = random.Random(options.seed)
    return [dice.uniform(0.1, 0.9) / max(options.kills, 1) for _ in range(options.kills)]


def start(options: argparse.Namespace, name: str) -> subprocess.Popen[bytes]:
    """The one command."""
    command = [sys.executable, "-m", "jaxworld", "sweep", "social/feed", "--quiet", "--json", "--no-figure"]
    command += ["--option", f"num_personas={options.personas}", "--ticks", str(options.ticks)]
    command += ["--arm", f"feed_recommender={options.recommenders}", "--seeds", str(options.worlds)]
    command += ["--out", str(options.out / name)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)


def finish(child: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Wait for the end: wall seconds and the largest resident size."""
    began = time.perf_counter()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit("the sweep failed, see above")
    return {"wall_s": time.perf_counter() - began, "cpu_s": usage.ru_utime + usage.ru_stime, **peak(usage)}


def kill_at_random(options: argparse.Namespace, whole_s: float, share: float) -> dict[str, Any]:
    """Start the command and kill it when ``share`` of the time of a whole run has passed, once it wrote something."""
    before = len(chunks(options))
    child = start(options, "killed")
    began = time.perf_counter()
    while time.perf_counter() - began < share * whole_s or len(chunks(options)) == before:
        if child.poll() is not None:
            raise SystemExit("the sweep ended before it could be killed; use more worlds")
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    _, _, usage = os.wait4(child.pid, 0)
    return {"after_s": time.perf_counter() - began, "files": len(chunks(options)), **peak(usage)}


def chunks(options: argparse.Namespace) -> list[Path]:
    """The files of finished chunks."""
    return list((options.out / "killed").glob("chunk-*.parquet"))


def peak(usage: Any) -> dict[str, int]:
    """Peak resident bytes from what the system kept of a process."""
    return {"peak_bytes": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)}


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def show(results: dict[str, Any]) -> None:
    """Print the figures."""
    whole, resumed = results["whole"], results["resumed"]
    world_ticks = results["worlds"] * results["ticks"]
    print(f"{results['worlds']:,} worlds of {results['personas']} personas, {results['ticks']} ticks")
    print(f"  in one go  {whole['wall_s']:7.0f} s   {world_ticks / whole['wall_s']:,.0f} world-ticks/s")
    for kill in results["kills"]:
        print(f"  killed at  {kill['after_s']:7.0f} s   with {kill['files']} files written")
    print(f"  resumed    {resumed['wall_s']:7.0f} s")
    peaks = [part["peak_bytes"] / 2**20 for part in (whole, *results["kills"], resumed)]
    print(f"  peak resident memory {max(peaks):.0f} MiB; table of {results['table_bytes'] / 2**20:.0f} MiB")
    print(f"  tables {'equal to the byte' if results['equal'] else 'DIFFER'}: {results['sha256']['whole'][:16]}")


if __name__ == "__main__":
    raise SystemExit(main())
