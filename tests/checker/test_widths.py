"""Layers that are as wide as nobody asked, and tables that are as long as a layer is wide."""

import pytest
from attn_kata.checker.client import Options
from attn_kata.kata.catalogue import find
from attn_kata.sentences.wording import worded

LLAMA = find("llama-block").solution()
BLOCK = find("block").solution()


@pytest.fixture
def judged(bench, tmp_path):
    """The report on a source, in English."""

    def run(kata, source):
        file = tmp_path / "mine.py"
        file.write_text(source)
        (report,) = bench.judge(kata, [file], Options(seed=5, timeout=60.0, device="cpu"))
        return worded(report, "en")

    return run


def test_a_width_of_its_own(judged):
    """The check says both shapes, and the mistake is told where the layer is made."""
    source = LLAMA.replace("self.num_heads = num_heads", "self.num_heads = num_heads; mlp_dim += 1")
    report = judged("llama-block", source)
    (check,) = [one for one in report.checks if one.id == "parameters"]
    assert check.status == "fail"
    assert "gate_proj.weight` is (" in check.detail
    assert check.detail.endswith("`mlp_dim` says how wide it is")
    assert [one.mistake for one in report.diagnosis] == ["mlp-dim-ignored"]


@pytest.mark.costly
def test_the_width_asked_for(judged):
    """Of a class with the right widths nothing of the kind is said, be its numbers wrong."""
    source = LLAMA.replace("gated = opened * up", "gated = opened - up")
    report = judged("llama-block", source)
    (check,) = [one for one in report.checks if one.id == "parameters"]
    assert (report.verdict, check.status) == ("fail", "skip")


@pytest.mark.costly
def test_a_table_as_long_as_a_layer_is_wide(judged):
    """Longer inputs raise, at one length here and at another there."""
    table = """
class Mask(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("table", torch.ones(width, width).tril())

    def forward(self, length):
        return self.table[:length, :length]
"""
    source = BLOCK.replace("scores.new_ones(length, length).tril()", "self.mask(length)")
    assert source != BLOCK
    made = "self.num_heads = num_heads"
    source = source.replace(made, f"{made}\n        self.mask = Mask(hidden_dim)", 1) + table
    assert [one.mistake for one in judged("block", source).diagnosis] == ["length-fixed"]
