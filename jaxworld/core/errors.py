"""Errors raised on the host, before anything is compiled or after a kernel raised a flag."""

from __future__ import annotations


class JaxworldError(ValueError):
    """Base of every error this library raises on purpose; its message is one readable line."""


class ConfigurationError(JaxworldError):
    """A configuration or parameter that cannot work.

    Args:
        field: name of the offending field, as the user wrote it.
        value: the value it had.
        remedy: what to write instead, in one clause.
    """

    def __init__(self, field: str, value: object, remedy: str) -> None:
        shown = repr(value)
        if len(shown) > 120:
            shown = shown[:117] + "..."
        super().__init__(f"{field} = {shown}: {remedy}")
        self.field = field
        self.value = value
        self.remedy = remedy


class CapacityError(JaxworldError):
    """A fixed-size buffer of a kernel was too small; the run's results were refused, not cut."""


class MissingExtraError(JaxworldError):
    """An optional dependency is not installed.

    Args:
        package: the package that is missing.
        extra: the extra that brings it, or None if none can.
        purpose: what needs it.
        remedy: what to do, where it is not to install the extra.
    """

    def __init__(self, package: str, extra: str | None, purpose: str, remedy: str | None = None) -> None:
        remedy = remedy or f"install it with  pip install 'jaxworld[{extra}]'"
        super().__init__(f"{purpose} needs the package {package!r}: {remedy}")
        self.package = package
        self.extra = extra


def require(condition: bool, field: str, value: object, remedy: str) -> None:
    """Raise :class:`ConfigurationError` naming ``field`` unless ``condition`` holds."""
    if not condition:
        raise ConfigurationError(field, value, remedy)
