"""What every module of the package, and every test of it, has."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ROOMS = (
    "checker", "classroom", "dev", "integrations", "kata", "practice", "reference", "sentences",
    "terminal",
)  # fmt: skip
MODULES = sorted(
    [*ROOT.glob("*.py"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))]
)
# A stub is what people write in, and its class says what is asked; a file in which bugs are
# planted is as somebody would write it.
TOLD = [
    path
    for path in MODULES
    if not path.name.startswith("stub.") and not path.match("kata/*/debug/*.py")
]
TESTS = sorted((ROOT / "tests").glob("*/test_*.py"))


def name(path):
    """Name a file as people do, from the repository's root."""
    return path.relative_to(ROOT).as_posix()


def test_docstring():
    """Every module says in its first lines what it is for."""
    texts = {name(path): path.read_text("utf-8") for path in TOLD}
    assert [path for path, text in texts.items() if not ast.get_docstring(ast.parse(text))] == []


def test_length():
    """No module is longer than a person reads at a sitting, unless it is a table."""
    lines = {name(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {path: count for path, count in lines.items() if count > 400} == {}


def test_tests_say_what_holds():
    """Every test has a sentence that says what holds, and every file of tests has a test."""
    silent = {}
    for path in TESTS:
        functions = [
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.name.startswith("test_")
        ]
        assert functions, path
        silent[name(path)] = [one.name for one in functions if not ast.get_docstring(one)]
    assert {path: names for path, names in silent.items() if names} == {}


def test_tests_are_no_package(root):
    """No folder of tests is a package: in one, pytest would import the root a second time."""
    assert list((root / "tests").rglob("__init__.py")) == []


def test_rooms_are_listed(root):
    """Every room that holds code is named in pyproject.toml, so that the wheel has it."""
    text = (root / "pyproject.toml").read_text("utf-8")
    rooms = {path.parent.relative_to(root).parts[0] for path in root.glob("*/__init__.py")}
    assert {room for room in rooms if f'"attn_kata.{room}" = "{room}"' not in text} == set()
