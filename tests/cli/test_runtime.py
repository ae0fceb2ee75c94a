"""The setting up of JAX keeps what the user chose."""

from pathlib import Path

import jax
import pytest

from jaxworld.cli import runtime


@pytest.fixture
def updates(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What would be set, on a configuration without choices of the user."""
    made: dict[str, object] = {}

    class Config:
        jax_compilation_cache_dir = None
        jax_platforms = None
        jax_num_cpu_devices = -1

        def update(self, name: str, value: object) -> None:
            made[name] = value

    monkeypatch.setattr(runtime, "_config", Config())
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    return made


def test_defaults(updates: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(runtime, "cache_folder", lambda: tmp_path / "new" / "jax")
    runtime.prepare_jax()
    assert updates == {
        "jax_compilation_cache_dir": str(tmp_path / "new" / "jax"),
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
        "jax_num_cpu_devices": runtime.num_cpus(),
    }
    assert set(updates) <= set(jax.config.values), "an option JAX does not have"


def test_cache_that_cannot_be_made_is_no_error(
    updates: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(runtime, "cache_folder", lambda: tmp_path / "file" / "jax")
    runtime.prepare_jax()
    assert set(updates) == {"jax_num_cpu_devices"}


@pytest.mark.parametrize(
    ("attribute", "value"), [("jax_platforms", "cuda"), ("jax_num_cpu_devices", 3), ("jax_num_cpu_devices", 1)]
)
def test_chosen_devices_stay(
    updates: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, attribute: str, value: object
) -> None:
    monkeypatch.setattr(runtime, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(runtime._config, attribute, value)
    runtime.prepare_jax()
    assert "jax_num_cpu_devices" not in updates


def test_forced_device_count_stays(updates: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(runtime, "cache_folder", lambda: tmp_path)
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
    runtime.prepare_jax()
    assert "jax_num_cpu_devices" not in updates


def test_chosen_cache_stays(updates: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime._config, "jax_compilation_cache_dir", "chosen")
    runtime.prepare_jax()
    assert "jax_compilation_cache_dir" not in updates
    assert updates["jax_persistent_cache_min_compile_time_secs"] == 0
