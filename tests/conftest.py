"""JAX as the tests want it: strict, on virtual CPU devices, compiled programs kept between runs."""

import gc
import os
from importlib.metadata import version
from pathlib import Path

# Tests compile much and run little: skipping LLVM's optimisation and XLA's newer emitters takes two thirds of the
# compiling away. Subprocesses inherit it; those that compare with what users compile set the variable to nothing.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
    "--xla_cpu_parallel_codegen_split_count=1"
    # Later versions do not know this flag, and end the process over it.
    + (" --xla_cpu_use_fusion_emitters=false" if version("jaxlib").startswith("0.10.") else ""),
)

import jax

# Tracing makes very many short-lived objects, which the collector walks again and again: a tenth of the time.
gc.set_threshold(200_000, 10, 5)

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 2)
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")

_CACHE = os.environ.get("JAX_COMPILATION_CACHE_DIR") or str(Path(__file__).resolve().parent.parent / ".jax_cache")
jax.config.update("jax_compilation_cache_dir", _CACHE)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
