"""`check` from Python."""

import importlib.util
import io
import subprocess
import sys

import attn_kata
import pytest
from attn_kata import check
from rich.console import Console

pytestmark = pytest.mark.usefixtures("shared_judge")

RIGHT = """import math
from torch import nn

WIDTHS = 3

class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(hidden_dim, hidden_dim) for _ in range(3))

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        return scores.softmax(dim=-1) @ v
"""
WRONG = RIGHT.replace(" / math.sqrt(q.shape[-1])", "")


def imported(file, name):
    """Import a file as a module of this process."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.costly
def test_a_source_text():
    """A text of several lines is judged, and its report shows itself in three ways."""
    report = check("v1", WRONG, seed=3)
    assert report.verdict == "fail"
    assert [one.mistake for one in report.diagnosis] == ["scale-missing"]
    assert isinstance(report, attn_kata.Report)
    assert "> 13 │ scores = q @ k.transpose(-2, -1)" in str(report)
    page = report._repr_html_()
    assert page.startswith("<pre")
    assert "<details><summary>why  <code>scale-missing</code>" in page
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(report)
    assert "scale-missing" in console.export_text()


def test_a_path(tmp_path):
    """A path is judged as on the command line, and keeps its name."""
    file = tmp_path / "mine.py"
    file.write_text(RIGHT)
    report = check("v1", str(file))
    assert (report.verdict, report.file) == ("pass", str(file))


def test_a_class_of_a_module(tmp_path):
    """A class is found in its module's file, beside another that would do as well."""
    file = tmp_path / "mine.py"
    file.write_text(RIGHT + WRONG.replace("SelfAttentionV1", "Other"))
    module = imported(file, "mine_of_a_test")
    assert check("v1", module.SelfAttentionV1).verdict == "pass"
    report = check("v1", module.Other)
    assert (report.verdict, report.object, report.file) == ("fail", "Other", str(file))


def test_a_class_of_a_package(tmp_path):
    """What a file imports from its package is there, as where it is imported."""
    package = tmp_path / "layers"
    package.mkdir()
    (package / "__init__.py").write_text("from .attention import SelfAttentionV1\n")
    (package / "scale.py").write_text("import math\ndef scale(d):\n    return math.sqrt(d)\n")
    text = RIGHT.replace("import math", "from .scale import scale").replace("math.sqrt", "scale")
    (package / "attention.py").write_text(text)
    assert check("v1", package / "attention.py").verdict == "pass"


@pytest.mark.costly
def test_a_class_of_the_script_that_asks(tmp_path):
    """A script that asks for its own verdict is not run again by it."""
    file = tmp_path / "mine.py"
    file.write_text(
        f"{WRONG}\nprint('once')\nfrom attn_kata import check\n"
        "report = check('v1', SelfAttentionV1, seed=1)\n"
        "print(report.verdict, report.diagnosis[0].line, report.file == __file__)\n"
    )
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert done.stdout == "once\nfail 13 True\n", done.stderr


def test_what_has_no_source():
    """What cannot be judged is said in words."""
    with pytest.raises(TypeError, match="not a path, a source text, a class"):
        check("v1", 3)

    class Inside:
        """Defined in a function."""

    with pytest.raises(LookupError, match="move it to the top level"):
        check("v1", Inside)


def test_an_unknown_kata():
    """A kata that does not exist is no verdict."""
    with pytest.raises(LookupError, match="v9"):
        check("v9", RIGHT)


def test_the_language_is_the_user_s(monkeypatch):
    """Sentences are in the language of the command line, or the one asked for."""
    monkeypatch.setenv("ATTN_KATA_LANG", "zh")
    assert "未通过" in str(check("v1", WRONG))
    assert "FAIL" in str(check("v1", WRONG, language="en"))
