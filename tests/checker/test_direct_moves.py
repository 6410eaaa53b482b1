"""Functions that move axes, raise on a view, or are scripted: what is named, and where."""

from __future__ import annotations

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.kata.catalogue import find


@pytest.fixture(scope="module")
def bench():
    """One warm judge for all."""
    with Bench() as held:
        yield held


@pytest.fixture
def judge(bench, tmp_path):
    """Judge a source under a kata."""

    def judged(source: str, kata: str):
        path = tmp_path / "mine.py"
        path.write_text(source)
        return next(bench.judge(kata, [path], Options(seed=3)))

    return judged


def test_axes_that_only_move(judge):
    """Where entries only change places, the line is that of the call that puts them wrongly."""
    source = find("drill-heads").solution()
    source = source.replace("unfolded.transpose(1, 2)", "unfolded.permute(2, 0, 1, 3)")
    report = judge(source, "drill-heads")
    lines = [place for place, row in enumerate(source.split("\n"), 1) if "permute(2, 0" in row]
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("axes-wrong-order", lines[0])]
    assert [step.milestone for step in report.trace] == ["unfolded", None]


def test_view_on_a_transpose(judge):
    """An exception whose words tell the mistake names it, with its page."""
    source = find("drill-heads").solution().replace("moved.contiguous()", "moved")
    report = judge(source, "drill-heads")
    assert (report.verdict, report.error.kind) == ("error", "forward")
    assert [one.mistake for one in report.diagnosis] == ["view-needs-contiguous"]


@pytest.mark.parametrize(
    ("text", "broken"),
    [("w @ v", "by_matmul"), ("torch.matmul(w, v)", "by_operator"),
     ("torch.bmm(w[0], v[0])[None]", "by_operator")],
)  # fmt: skip
def test_scripted_operator(judge, text, broken):
    """A scripted function is seen as it is written: its operator, and where it is another's."""
    source = find("drill-matmul").solution()
    source = source.replace("from __future__ import annotations\n", "")
    for name in ("by_operator", "by_matmul"):
        source = source.replace(f"def {name}(", f"def was_{name}(")
        source += f"\n@torch.jit.script\ndef {name}(w: Tensor, v: Tensor):\n    return {text}\n"
    checks = judge(source, "drill-matmul").checks
    failed = {check.id: check.detail for check in checks if check.status == "fail"}
    assert failed["rules"].startswith(f"`{broken}`: ")
