"""JAX as the tests want it: strict, on virtual CPU devices, compiled programs kept between runs."""

import os
from pathlib import Path

# Tests compile much and run little: skipping LLVM's optimisation halves their time. Subprocesses inherit it.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")

import jax

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 2)
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")

_CACHE = os.environ.get("JAX_COMPILATION_CACHE_DIR") or str(Path(__file__).resolve().parent.parent / ".jax_cache")
jax.config.update("jax_compilation_cache_dir", _CACHE)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
