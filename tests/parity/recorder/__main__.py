"""Runs the original; needs an interpreter that has it.

python -m tests.parity.recorder traces FOLDER [NAME ...]       records the traces that the repository keeps
python -m tests.parity.recorder crowds FOLDER [NAME ...]       records long runs on small layouts
python -m tests.parity.recorder maps FOLDER VARIANT ...        records long runs on the original's own maps
python -m tests.parity.recorder constants FOLDER VARIANT ...   reads the numbers of the rules
python -m tests.parity.recorder counts FOLDER [NAME ...]       counts what the original draws
"""

import sys
from pathlib import Path

import numpy as np

from tests.parity.recorder.constants import constants
from tests.parity.recorder.counts import COUNTS
from tests.parity.recorder.runs import CROWDS, TRACES, on_its_own_map

# By command: what is made for a name, and the names if none are given.
COMMANDS = {
    "traces": (lambda name: TRACES[name].record(), TRACES),
    "crowds": (lambda name: CROWDS[name].record(), CROWDS),
    "maps": (lambda variant: on_its_own_map(variant).record(), ()),
    "constants": (constants, ()),
    "counts": (lambda name: COUNTS[name](), COUNTS),
}


def main(command, folder, *names):
    make, all_names = COMMANDS[command]
    for name in names or all_names:
        path = Path(folder) / f"{name}.npz"
        np.savez_compressed(path, **make(name))
        print(f"{path}: {path.stat().st_size:,} bytes", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
