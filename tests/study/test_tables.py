"""Tables come back as they were written, and say what made them."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import jaxworld
from jaxworld.core.errors import ConfigurationError
from jaxworld.study.tables import read_table, write_table


@dataclasses.dataclass(frozen=True)
class Settings:
    personas: int = 7
    seed: int = 3
    names: tuple[str, ...] = ("a", "b")
    window: int | None = None
    memory: float | None = None
    label: str = "x"
    careful: bool = True


COLUMNS = {
    "seed": np.array([2**64 - 1, 0, 5], np.uint64),
    "tick": np.array([0, 1, 2], np.int32),
    "gini": np.array([0.25, np.nan, 1.0]),
    "name": np.array(["random", "twhin", "random"]),
}


def test_round_trip(tmp_path: Path) -> None:
    write_table(tmp_path / "t.parquet", "trial", COLUMNS, Settings())
    columns, metadata = read_table(tmp_path / "t.parquet")
    for name, values in COLUMNS.items():
        np.testing.assert_array_equal(columns[name], values)
    assert columns["seed"].dtype == np.uint64 and columns["tick"].dtype == np.int32
    assert columns["personas"].tolist() == [7, 7, 7]
    assert columns["setting_seed"].tolist() == [3, 3, 3]  # the table has a seed of its own
    assert columns["names"].tolist() == ["a,b"] * 3
    assert columns["jaxworld_version"].tolist() == [jaxworld.__version__] * 3
    assert json.loads(metadata["jaxworld.settings"]) == {**dataclasses.asdict(Settings()), "names": ["a", "b"]}
    assert metadata["jaxworld.table"] == "trial" and metadata["jaxworld.version"] == jaxworld.__version__


def test_column_types_do_not_depend_on_none(tmp_path: Path) -> None:
    import pyarrow.parquet

    schemas = []
    for window, memory in ((None, None), (9, 1.5)):
        write_table(tmp_path / "t.parquet", "trial", COLUMNS, Settings(window=window, memory=memory))
        schemas.append(pyarrow.parquet.read_schema(tmp_path / "t.parquet"))
    assert schemas[0].equals(schemas[1])


def test_undefined_is_null(tmp_path: Path) -> None:
    import pyarrow.parquet

    write_table(tmp_path / "t.parquet", "trial", COLUMNS, Settings())
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").column("gini").to_pylist() == [0.25, None, 1.0]


@pytest.mark.parametrize("columns", [{"a": np.zeros(2), "b": np.zeros(3)}, {"a": np.zeros((2, 2))}, {}])
def test_ragged_columns_are_refused(columns: dict[str, np.ndarray], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="columns"):
        write_table(tmp_path / "t.parquet", "trial", columns, Settings())
    assert list(tmp_path.iterdir()) == []


def test_reading_what_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        read_table(tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("this is a text")
    with pytest.raises(ConfigurationError, match="no Parquet file"):
        read_table(tmp_path / "text.parquet")


def test_failure_deletes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path may be something that is not ours to remove, such as a device."""
    import pyarrow.parquet

    def fail(self: object, *args: object, **keywords: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pyarrow.parquet.ParquetWriter, "write_table", fail)
    (tmp_path / "t.parquet").write_text("earlier")
    with pytest.raises(OSError, match="No space left"):
        write_table(tmp_path / "t.parquet", "trial", COLUMNS, Settings())
    assert (tmp_path / "t.parquet").exists()
