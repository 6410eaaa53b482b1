"""Which room may import what: the house's plan, held in fresh processes."""

import ast
import graphlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

# What importing everything in a room must not load.
NEVER = {
    "kata": {"torch", "rich", "typer"},
    "reference": {"attn_kata.checker", "attn_kata.practice", "rich", "typer"},
    "checker": {
        "rich",
        "typer",
        "attn_kata.practice",
        "attn_kata.sentences",
        "attn_kata.terminal",
    },
    "sentences": {
        "torch",
        "rich",
        "typer",
        "attn_kata.practice",
        "attn_kata.reference",
        "attn_kata.terminal",
    },
    "practice": {"torch", "rich", "typer", "attn_kata.reference", "attn_kata.terminal"},
    "terminal": {"torch", "attn_kata.reference"},
    "classroom": {"torch", "rich", "typer", "attn_kata.reference", "attn_kata.terminal"},
    "integrations": {"torch", "rich", "attn_kata.reference"},
    "cli*.py": {"torch", "attn_kata.reference"},
    # Every pytest of the environment loads it.
    "integrations/pytest_plugin.py": {"torch", "rich", "typer", "attn_kata.checker"},
    "__init__.py": {"torch", "rich", "typer", "attn_kata.checker", "attn_kata.kata"},
    "checker/client.py": {"torch", "rich", "typer", "attn_kata.reference"},
    "checker/report/report.py": {"torch", "rich", "typer", "attn_kata.reference"},
    "dev/lint.py": {"torch", "rich", "typer"},
}

# What the checker's inner rooms may import of each other, and of the house. What runs a submission
# knows nothing of what is expected of it.
MAY = {
    "report": set(),
    "candidate": {"process", "vocabulary"},
    "process": {"candidate", "judge"},
    "diagnose": {"candidate", "judge", "process", "report", "vocabulary", "kata", "reference"},
    "judge": {"candidate", "diagnose", "process", "report", "vocabulary", "kata", "reference"},
}
# Which of their files starts what another room holds.
FORKS = {"fork_server.py", "supervisor.py", "zygote.py"}

# What dev/, whose tools look into the checker, may import of it beside what others may.
DEV_MAY = {
    "candidate.accelerator", "candidate.guard", "candidate.pretended_gpu", "candidate.worker",
    "judge.case", "judge.configured", "judge.draw", "judge.drawing", "judge.given", "judge.main",
    "judge.sequences", "judge.truth",
    "process.answers", "process.claims", "process.forms", "process.jobs", "process.lasting",
    "process.launch", "process.requests", "process.wire", "process.zygote",
}  # fmt: skip

# Imports every module of the standard input, with warnings as errors.
ALL = """
import importlib, json, sys, traceback, warnings
import rich.console, torch, typer
warnings.simplefilter("error")
faults = {}
for name in json.load(sys.stdin):
    try:
        importlib.import_module(name)
    except BaseException:
        faults[name] = traceback.format_exc()[-3000:]
print(json.dumps(faults))
"""
PARTS = (
    "__init__.py", "cli*.py", "checker", "classroom", "dev", "integrations", "kata", "practice",
    "reference", "sentences", "terminal",
)  # fmt: skip


def modules(part):
    """Name the modules of a room, or those that files at the root hold."""
    files = sorted(ROOT.glob(part) if part.endswith(".py") else (ROOT / part).rglob("*.py"))
    names = [file.relative_to(ROOT).with_suffix("").as_posix().split("/") for file in files]
    # A kata's files with bugs to be planted are handed out; nothing imports them.
    names = [parts for parts in names if parts[0] != "kata" or "debug" not in parts]
    # Nor what a new kata is made of.
    names = [parts for parts in names if "templates" not in parts]
    # What is handed out and what a lesson runs is text to us.
    handed = ("stub", "learn", "solution")
    dotted = (
        ".".join(["attn_kata", *parts])
        for parts in names
        if parts[0] != "kata" or not parts[-1].startswith(handed)
    )
    return [name.removesuffix(".__init__") for name in dotted]


def python(code, *, stdin="", options=()):
    """Run code in a fresh Python, outside the repository, and return what it prints."""
    command = [sys.executable, *options, "-c", code]
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=ROOT.anchor, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("part", NEVER)
def test_never_imports(part):
    """A room does not load what the plan keeps out of it."""
    lines = [*(f"import {name}" for name in modules(part)), "import sys", "print(*sys.modules)"]
    loaded = set(python("\n".join(lines)).split())
    assert loaded & NEVER[part] == set()


def imported(file):
    """List what a module of the checker imports of ours: (inner room of the checker, or room)."""
    package = ["attn_kata", *file.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            base += node.module.split(".") if node.module else []
            for alias in node.names:
                whole = [*base, alias.name]
                yield whole[2] if whole[1] == "checker" else whole[1]


@pytest.mark.parametrize("room", MAY)
def test_inner_rooms(room):
    """What runs a submission imports nothing of what is expected, and reports import nobody."""
    files = sorted((ROOT / "checker" / room).rglob("*.py"))
    found = {file: set(imported(file)) - {room} for file in files}
    assert any(found.values()) == bool(MAY[room])
    assert {file.name: more for file, names in found.items() if (more := names - MAY[room])} == {}
    if room == "process":
        assert {file.name for file, names in found.items() if names} == FORKS


def file_of(name):
    """The file of one of our modules, None for what is none."""
    path = ROOT.joinpath(*name.split(".")[1:])
    found = (path.with_suffix(".py"), path / "__init__.py") if name != "attn_kata" else ()
    return next((one for one in found if one.exists()), None)


def at_once(statements):
    """Yield the imports that run as a module is loaded: in no function, nor for types alone."""
    for node in statements:
        if isinstance(node, ast.ImportFrom):
            yield node
        elif not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            skipped = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            below = node.orelse if skipped else ast.iter_child_nodes(node)
            yield from at_once(
                one for one in below if isinstance(one, (ast.stmt, ast.ExceptHandler))
            )


def loads(name):
    """The modules of ours that a module has loaded before it is loaded itself."""
    file = file_of(name)
    assert file is not None
    package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    for node in at_once(ast.parse(file.read_text("utf-8")).body):
        base = package[: len(package) - node.level + 1] if node.level else []
        base = ".".join([*base, *(node.module or "").split(".")]).strip(".")
        for alias in node.names:
            for one in (f"{base}.{alias.name}", base):
                if one.startswith("attn_kata.") and file_of(one) is not None:
                    yield one
                    break


def test_each_module_alone():
    """Any module can be imported first: none waits for one that waits for it.

    To import each in a process of its own says the same, and takes twenty times as long.
    """
    names = [name for part in PARTS for name in modules(part) if name != "attn_kata"]
    order = graphlib.TopologicalSorter({name: {*loads(name)} - {name} for name in names})
    order.prepare()


@pytest.mark.costly
def test_all_modules_without_a_warning():
    """Every module can be imported, with warnings as errors."""
    names = [name for part in PARTS for name in modules(part)]
    assert json.loads(python(ALL, stdin=json.dumps(names))) == {}


def test_root_is_quick():
    """The root loads nothing but the standard library until a name is asked for."""
    code = "import attn_kata, sys; print(*(m for m in sys.modules if m.startswith('attn_kata.')))"
    assert python(code, options=["-W", "error"]).split() == []


def deeper(path):
    """The modules inside the checker that a file of another room imports."""
    package = ["attn_kata", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base += node.module.split(".") if node.module else []
            if base[:2] == ["attn_kata", "checker"] and len(base) > 2:
                # Of an inner room its modules are imported, of a module its names.
                whole = [[*base, one.name] for one in node.names] if len(base) == 3 else [base]
                yield from (".".join(one[2:4]) for one in whole)


def test_other_rooms_use_the_face():
    """What a room takes of the checker is listed in `checker/__init__.py`, but for dev's tools."""
    rooms = {part for part in PARTS if part not in {"__init__.py", "checker", "dev"}}
    files = [path for room in rooms for path in [*(ROOT / room).rglob("*.py")]]
    files += [*ROOT.glob("*.py")]
    found = {path.relative_to(ROOT).as_posix(): [*deeper(path)] for path in files}
    assert {name: modules for name, modules in found.items() if modules} == {}
    assert {one for path in (ROOT / "dev").rglob("*.py") for one in deeper(path)} == DEV_MAY


def test_the_face_is_whole():
    """All that the checker lists is there, and to ask for all of it loads no torch."""
    code = "from attn_kata.checker import *; import sys; print(*sys.modules)"
    assert not {"torch", "rich", "typer", "attn_kata.reference"} & set(python(code).split())
