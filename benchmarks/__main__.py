"""``python -m benchmarks``."""

from benchmarks.table import main

raise SystemExit(main())
