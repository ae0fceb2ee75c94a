"""``docs/oasis_map.md``: every name of ours exists, and (given a checkout) every public name of upstream is there."""

import ast
import importlib
import os
import re
from pathlib import Path

import pytest

MAP = Path(__file__).parents[2] / "docs" / "oasis_map.md"
OASIS = os.environ.get("JAXWORLD_OASIS")
SECTION = re.compile(r"^## `(oasis/[^`]+)`$", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")


def exists(dotted):
    """Whether a dotted name is a module, or an attribute of one."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part):
                return part in getattr(found, "__annotations__", {})  # a field without a default
            found = getattr(found, part)
        return True
    return False


def sections():
    """Names in the first column of each section's table, by upstream path."""
    pieces = SECTION.split(MAP.read_text(encoding="utf-8"))
    named = {}
    for path, body in zip(pieces[1::2], pieces[2::2], strict=True):
        rows = [line.split("|")[1] for line in body.split("\n## ")[0].splitlines() if line.startswith("| `")]
        named[path] = [name for row in rows for name in NAME.findall(row)]
    return named


def public_names(path):
    """Public functions, classes, methods and enum members of a file."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        names.add(node.name)
        if not isinstance(node, ast.ClassDef):
            continue
        is_enum = any(isinstance(base, ast.Name) and base.id == "Enum" for base in node.bases)
        for member in node.body:
            if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_"):
                names.add(f"{node.name}.{member.name}")
            if is_enum and isinstance(member, ast.Assign):
                names |= {f"{node.name}.{target.id}" for target in member.targets if isinstance(target, ast.Name)}
    return names


def test_every_name_of_ours_exists():
    ours = sorted({name for name in NAME.findall(MAP.read_text(encoding="utf-8")) if name.startswith("jaxworld.")})
    ours = [name for name in ours if "(" not in name]
    assert len(ours) > 60
    assert [name for name in ours if not exists(name)] == []


def test_no_name_of_upstream_is_mapped_twice():
    for path, names in sections().items():
        assert len(names) == len(set(names)), path
        assert names, path


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", MAP.read_text(encoding="utf-8")):
        assert (MAP.parent / target).is_file(), target


def test_a_name_that_does_not_exist_is_noticed():
    assert exists("jaxworld.social.config.SocialConfig.hide_own")
    assert not exists("jaxworld.social.config.SocialConfig.hide_others")
    assert not exists("jaxworld.social.no_such_module")


@pytest.mark.skipif(not OASIS, reason="JAXWORLD_OASIS names no checkout")
def test_every_public_name_of_upstream_is_mapped():
    root, mapped = Path(OASIS), sections()
    upstream = {
        str(path.relative_to(root)): names
        for path in sorted((root / "oasis").rglob("*.py"))
        if (names := public_names(path))
    }
    schema = "oasis/social_platform/schema"
    upstream[schema] = {path.name for path in (root / schema).glob("*.sql")}
    assert {path: sorted(names - set(mapped.get(path, ()))) for path, names in upstream.items()} == {
        path: [] for path in upstream
    }
    assert {path: sorted(set(names) - upstream.get(path, set())) for path, names in mapped.items()} == {
        path: [] for path in mapped
    }
