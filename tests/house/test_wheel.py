"""The wheel, built once and installed alone: what pip users get."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

KATAS = ("v1", "v2", "v3", "v4", "mha", "causal", "cross")
ANSWER = """
import math
from torch import nn

class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width, bias=False) for _ in range(3))

    def forward(self, x):
        scores = self.q(x) @ self.k(x).mT / math.sqrt(x.shape[-1])
        return scores.softmax(-1) @ self.v(x)
"""


def run(command, **options):
    """Run a command to its end and return what it did."""
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    """The wheel, built from a copy of the checkout so that nothing is left behind there."""
    place = tmp_path_factory.mktemp("wheel")
    leave = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__", "tests")
    shutil.copytree(root, place / "source", ignore=leave)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place]
    done = run([*command, place / "source"])
    assert done.returncode == 0, done.stdout + done.stderr
    return next(place.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The wheel alone in a folder, which stands before everything else on the path."""
    site = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q"]
    done = run([*pip, "--disable-pip-version-check", "--target", site, wheel])
    assert done.returncode == 0, done.stderr
    return site


@pytest.fixture
def attn_kata(installed, tmp_path):
    """Call the installed program, in a folder that is nobody's."""

    def call(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(installed)}
        program = [sys.executable, installed / "bin" / "attn-kata", *arguments]
        return run(program, cwd=tmp_path, env=environment, timeout=120)

    return call


@pytest.mark.costly
def test_holds_every_file(wheel, root):
    """The wheel holds what the repository's rooms hold, and nothing else."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    rooms = (
        "checker",
        "classroom",
        "dev",
        "integrations",
        "kata",
        "practice",
        "reference",
        "sentences",
        "terminal",
        "examples",
    )
    files = [path for room in rooms for path in (root / room).rglob("*.*") if path.is_file()]
    files += [*root.glob("*.py"), root / "py.typed"]
    wanted = {f"attn_kata/{p.relative_to(root).as_posix()}" for p in files if p.suffix != ".pyc"}
    assert names == wanted


@pytest.mark.costly
def test_is_what_runs(installed, tmp_path):
    """The program under test is the installed one, not the checkout."""
    code = "import attn_kata.kata.catalogue as c; print(c.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = run([sys.executable, "-c", code], cwd=tmp_path, env=environment)
    assert Path(done.stdout.strip()).is_relative_to(installed)


def test_list(attn_kata):
    """`list` names every kata."""
    done = attn_kata("list")
    assert done.returncode == 0, done.stderr
    assert [kata for kata in KATAS if kata not in done.stdout] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_show(attn_kata, language):
    """`show` finds the brief of every kata, in both languages."""
    done = attn_kata("show", "mha", "--lang", language)
    assert done.returncode == 0, done.stderr
    assert "MultiHeadAttention" in done.stdout


@pytest.mark.costly
def test_check(attn_kata, tmp_path):
    """`check --json` judges a file and prints one report."""
    (tmp_path / "mine.py").write_text(ANSWER, "utf-8")
    done = attn_kata("check", "v1", "mine.py", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["verdict"] == "pass"
