"""Our worlds by the names their originals have."""

from jaxworld.grid.substrates import catalogue
from jaxworld.grid.substrates.commons_harvest import VARIANTS as HARVESTS
from jaxworld.grid.substrates.matrix_variants import MATRIX_VARIANTS

VARIANTS = (
    "coins",
    *(f"commons_harvest__{name}" for name in HARVESTS),
    *(f"{game}_in_the_matrix__{kind}" for game, kind in MATRIX_VARIANTS),
)


def world_of(variant, **options):
    """Our world for a variant of the original."""
    return catalogue.VARIANTS[variant.replace("__", "_")].build()(**options)
