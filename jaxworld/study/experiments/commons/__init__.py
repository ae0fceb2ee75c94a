"""What noise on the reading of a commons does: the sweep of named populations, and of very many."""
