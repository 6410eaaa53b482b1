"""The magics, in a real kernel."""

import sys

import nbformat
import pytest
from attn_kata.kata.catalogue import find
from attn_kata.practice.history import Attempt, History
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient

pytestmark = pytest.mark.usefixtures("shared_judge")

IMPORTS = "import math\nfrom torch import nn\nraise RuntimeError('this cell is run once')"
WRONG = """
class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(hidden_dim, hidden_dim) for _ in range(3))
    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        return (q @ k.transpose(-2, -1)).softmax(dim=-1) @ v"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run cells in a kernel of this interpreter; return the notebook with its outputs."""
    monkeypatch.setenv("ATTN_KATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    spec = tmp_path / "jupyter" / "kernels" / "here"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(
        f'{{"argv": ["{sys.executable}", "-W", "ignore", "-m", "ipykernel_launcher", "-f", '
        '"{connection_file}"], "display_name": "here", "language": "python"}'
    )
    assert KernelSpecManager().get_kernel_spec("here").argv[0] == sys.executable

    def done(*cells):
        cells = [nbformat.v4.new_code_cell(cell) for cell in ("%load_ext attn_kata", *cells)]
        notebook = nbformat.v4.new_notebook(cells=cells)
        client = NotebookClient(notebook, timeout=300, allow_errors=True, kernel_name="here")
        client.execute(cwd=str(tmp_path))
        return notebook.cells[1:]

    return done


def shown(cell, kind="text/plain"):
    """What a cell's result shows."""
    return next(one.data[kind] for one in cell.outputs if one.output_type == "execute_result")


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore")
def test_a_cell_is_judged(run, tmp_path):
    """A cell is judged with what it needs of those before, and told by the number beside it."""
    _, wrong, after, start, hint, last, unknown = run(
        IMPORTS, f"%%kata v1 --seed 1{WRONG}", "SelfAttentionV1.__name__",
        "%kata_start v2", "%kata_hint", "%kata_hint v2 3", "%%kata v9\npass",
    )  # fmt: skip
    assert wrong.execution_count == 3
    assert "scale-missing" in shown(wrong)
    assert "notebook.ipynb:3:8" in shown(wrong)
    assert "<details>" in shown(wrong, "text/html")
    assert shown(after) == "'SelfAttentionV1'"
    assert "SelfAttentionV2" in shown(start)
    # What an interviewer keeps back, and a shell's commands, are not for here.
    assert all(text not in shown(start) for text in ("interviewer looks at", "attn-kata "))
    assert shown(hint).startswith("v2  hint 1 of 3")
    words = find("v2").hints("en")[2].split()
    assert shown(last).split()[-1] == words[-1]
    assert "no kata is called `v9`" in shown(unknown)
    history = History(tmp_path / "home")
    (attempt,) = [one for one in history.story() if isinstance(one, Attempt)]
    assert (attempt.kata, attempt.verdict, attempt.mistakes) == ("v1", "fail", ("scale-missing",))
    assert attempt.asked_by == "notebook"


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore")
def test_the_example(run, root):
    """The notebook that is handed out does what it says, but for the installing."""
    notebook = nbformat.read(root / "examples" / "notebook.ipynb", as_version=4)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert cells[:2] == ["%pip install -q attn-kata", "%load_ext attn_kata"]
    ran = run(*cells[2:])
    assert [one for cell in ran for one in cell.outputs if one.output_type == "error"] == []
    assert "softmax-wrong-axis" in shown(ran[2])
    assert ran[-1].outputs[0].text == "fail ['softmax-wrong-axis']\n"
