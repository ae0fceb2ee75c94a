"""Reading files that people wrote: whole, in UTF-8, and refused by name when they are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jaxworld.core.errors import ConfigurationError, require


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, without a byte order mark.

    Raises:
        ConfigurationError: if there is no such file, or it is not UTF-8.
    """
    require(path.is_file(), path.name, str(path), "there is no such file: check the path")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(path.name, f"byte {error.start}", "save the file as UTF-8") from error


def read_json(path: Path) -> Any:
    """The content of a JSON file; NaN, infinities and repeated keys of an object are refused.

    Raises:
        ConfigurationError: naming the file, and the line where the text is no JSON.
    """
    text = read_text(path)

    def refuse_constant(name: str) -> None:
        raise ConfigurationError(path.name, name, "use finite numbers, or null for what is unknown")

    def refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ConfigurationError(path.name, twice, "an object holds this key more than once: keep one")
        return content

    try:
        content = json.loads(text, parse_constant=refuse_constant, object_pairs_hook=refuse_repeated)
        if "\\ud" in text.lower():
            json.dumps(content, ensure_ascii=False).encode()  # half a surrogate pair is text that no file can hold
        return content
    except ConfigurationError:
        raise
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{path.name}:{error.lineno}", error.msg, "write valid JSON") from error
    except RecursionError as error:
        raise ConfigurationError(path.name, "deep nesting", "write JSON of a few levels") from error
    except UnicodeEncodeError as error:
        raise ConfigurationError(path.name, "half a surrogate pair", "write complete characters") from error
    except ValueError as error:  # Python reads no number of more than 4,300 digits
        raise ConfigurationError(path.name, str(error)[:80], "write shorter numbers") from error
