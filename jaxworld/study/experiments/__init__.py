"""Named experiments, one module or folder each."""
