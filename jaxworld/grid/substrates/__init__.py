"""The substrates, a file each."""
