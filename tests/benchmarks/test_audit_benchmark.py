from benchmarks.audit import main


def test_it_says_how_many_worlds_and_findings(capsys):
    """Shape 0 is the survey room alone, the cheapest to compile; the other shapes are audited with the traces."""
    assert main(["--worlds", "2", "--shapes", "1"]) == 0
    first, events, _ = capsys.readouterr().out.splitlines()
    assert first.startswith("2 worlds, ") and first.endswith(" rows: 0 findings")
    assert "exposure" in events and "turn" in events
