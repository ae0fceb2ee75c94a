"""The README: every block of code runs, every command it shows exists, every file it points to is there."""

import ast
import importlib
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from jaxworld.cli.exposure import summary_json
from jaxworld.cli.main import make_parser
from jaxworld.core import registry as worlds
from jaxworld.social.recommenders import registry as recommenders
from jaxworld.study.experiments.exposure import METRICS, ExposureSettings
from tests.cli.fake import fake_run

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
KINDS = {"python", "sh", "json", ""}


def blocks(text: str) -> list[tuple[str, str]]:
    """Language and content of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def headings(page: Path) -> set[str]:
    """Anchors of a page's headings: lower case, hyphens for spaces, no other signs."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles}


def of_kind(kind: str) -> list[str]:
    return [content for language, content in blocks(README) if language == kind]


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {language for language, _ in blocks(README)} == KINDS


@pytest.mark.slow
def test_python_blocks_run_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recommenders, "_recommenders", dict(recommenders._recommenders))
    monkeypatch.setattr(worlds, "_factories", dict(worlds._factories))
    namespace: dict[str, Any] = {"__name__": "readme"}
    for number, content in enumerate(of_kind("python"), start=1):
        exec(compile(content, f"README.md, block {number}", "exec"), namespace)
    report = capsys.readouterr().out
    assert "stimuli; (60, 3)" in report and "'low'" in report and "Voter" in report
    assert "reddit_hot, 3 a tick: +0." in report and "of 18.0 at best" in report
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_python_blocks_are_python_and_what_they_import_exists(page: Path) -> None:
    for language, content in blocks(page.read_text(encoding="utf-8")):
        if language == "python":
            for node in ast.walk(ast.parse(content)):
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith("jaxworld"):
                    module = importlib.import_module(str(node.module))
                    assert all(hasattr(module, alias.name) for alias in node.names), ast.unparse(node)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_commands_can_be_typed(page: Path) -> None:
    """Options of ours parse, ``make`` targets, extras and modules exist."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    text = page.read_text(encoding="utf-8")
    scripts = [content.replace("\\\n", " ") for language, content in blocks(text) if language == "sh"]
    lines = [line for content in scripts for line in content.splitlines()]
    inline = re.findall(r"`(make \w+|pip install [^`]+)`", text)
    for line in [*lines, *inline]:
        command, *arguments = shlex.split(line, comments=True)
        if command == "make":
            assert arguments[0] in targets, line
        elif command == "pip":
            named = re.search(r"\[(.*)\]", arguments[-1])
            assert named is not None and set(named[1].split(",")) <= set(extras), line
        elif command == "python":
            assert arguments[0] == "-m" and arguments[1].split(".")[0] in ("benchmarks", "jaxworld"), line
            assert (ROOT / (arguments[1].replace(".", "/") + ".py")).is_file(), line
        else:
            assert command == "jaxworld", line
            if "--help" not in arguments:
                assert callable(make_parser().parse_args(arguments).run), line


def test_options_of_the_study_are_all_in_the_table() -> None:
    """Each option is documented, with the default it has."""
    table = {
        option: default
        for options, default in re.findall(r"^\| (`--.*?) \| (.*?) \|", README, flags=re.MULTILINE)
        for option in re.findall(r"--([a-z-]+)", options)
    }
    known = vars(make_parser().parse_args(["exposure"]))
    assert set(table) == {name.replace("_", "-") for name in known if name not in ("run", "command")}
    for option, default in table.items():
        value = known[option.replace("-", "_")]
        if value is not None and not isinstance(value, bool):
            shown = " ".join(value) if isinstance(value, list) else str(value)
            assert default.strip("`") == shown, option


def test_the_json_has_the_shape_it_is_said_to_have() -> None:
    (shown,) = [json.loads(content) for content in of_kind("json")]
    real = summary_json(fake_run(ExposureSettings(personas=8, worlds=3, ticks=4)))

    def within(part: Any, whole: Any, place: str) -> None:
        if isinstance(part, dict):
            for name, entry in part.items():
                assert name in whole, f"{place}.{name}"
                within(entry, whole[name], f"{place}.{name}")
        else:
            assert not isinstance(whole, dict), place

    within(shown, real, "")
    assert set(shown) == set(real)
    for name, metrics in shown["recommenders"].items():
        assert set(metrics["gini"]) == set(real["recommenders"][name]["gini"])
    assert all(f"`{metric}`" in README for metric in METRICS)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_and_folders_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if "://" not in link:
            file, _, anchor = link.partition("#")
            target = page.parent / file if file else page
            assert target.exists(), link
            assert not anchor or anchor in headings(target), link
    folders = re.findall(r"^((?:\w+/)+) {2,}", text, flags=re.MULTILINE)
    assert all((ROOT / folder).is_dir() for folder in folders), folders


def test_extras_are_all_in_the_table() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    section = README.split("## Extras")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)`", section, flags=re.MULTILINE)) == set(extras)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_tests_that_are_named_exist(page: Path) -> None:
    """What a page says is tested is the name of a test, and what it says is a file is one."""
    text = page.read_text(encoding="utf-8")
    for file, name in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text):
        assert (ROOT / file).is_file(), file
        assert not name or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"


def test_streams_and_recommenders_are_all_documented() -> None:
    from jaxworld.core.random import registered_purposes
    from jaxworld.social import PRESETS, Recommender
    from jaxworld.social.recommenders import standard

    page = (ROOT / "docs" / "randomness.md").read_text(encoding="utf-8")
    streams = [name for name in registered_purposes() if name.startswith("social/")]
    for stream in streams:
        family, last = stream.rsplit("/", 1)
        written = (f"`{stream}`", f"`{family}/feed`, `.../{last}`", f"`{family}/<channel>`")
        assert any(form in page for form in written), stream
    social = (ROOT / "docs" / "social.md").read_text(encoding="utf-8")
    shipped = [entry for entry in vars(standard).values() if isinstance(entry, Recommender)]
    assert len(shipped) > 5 and all(f"`{recommender.name}` |" in social for recommender in shipped)
    assert all(f"`{name}`" in social for name in PRESETS)
