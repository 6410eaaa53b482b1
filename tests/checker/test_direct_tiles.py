"""Functions that work in tiles, or that may not use autograd: rules, memory, growth and lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from attn_kata.checker.candidate.watch import Watch
from attn_kata.checker.client import Options
from attn_kata.checker.diagnose.tiles import holding_part
from attn_kata.checker.judge.case import Case
from attn_kata.checker.judge.drawing import draw
from attn_kata.checker.process.answers import Step
from attn_kata.checker.process.requests import Record
from attn_kata.kata.reading import BadContract, read_asked
from attn_kata.sentences.wording import sentence, worded

CONTRACT: dict[str, Any] = {
    "axes": {"B": "batch", "T": "length"},
    "sizes": {"B": [2, 1], "T": [5, 1]},
    "function": [
        {
            "name": "f",
            "large": 100,
            "argument": [
                {"name": "a", "is": "normal", "shape": ["B", "T"]},
                {"name": "b", "is": "normal", "shape": ["B", "T"], "large": "shifted"},
                {"name": "c", "is": "normal", "shape": ["B", "T"], "large": "kept"},
            ],
            "result": [{"name": "out", "shape": ["B", "T"]}],
        }
    ],
}


def test_how_arguments_grow():
    """One is multiplied, one shifted and one kept, and the case says so."""
    asked = read_asked(CONTRACT)
    function = asked.functions[0]
    sizes = asked.sizes.first()
    plain, large = (
        draw(function, Case(check="values", sizes=sizes, gain=gain), torch.Generator())
        for gain in (1.0, 100.0)
    )
    assert torch.equal(large.tensors["a"], plain.tensors["a"] * 100)
    assert torch.equal(large.tensors["b"], plain.tensors["b"] + 100)
    assert torch.equal(large.tensors["c"], plain.tensors["c"])
    case = Case(check="stability", sizes=sizes, gain=100.0)
    assert sentence(case.label(function, asked.sizes), "en").endswith("b + 100")


def test_growth_is_one_of_five():
    """Another word is no contract."""
    argument = {"name": "a", "is": "normal", "shape": ["B", "T"], "large": "doubled"}
    function = {**CONTRACT["function"][0], "argument": [argument]}
    with pytest.raises(BadContract, match="multiplied, shifted, later, hidden, kept"):
        read_asked({**CONTRACT, "function": [function]})


def test_a_growing_record_is_short():
    """Of many steps only those remain that took more memory than any before."""
    with Watch(__file__, set(), {}, {}, Record(growing=True)) as watch:
        for size in (3, 2, 5, 5, 4):
            torch.ones(size)
    assert [step["fresh"] for step in watch.steps] == [3, 5]


def test_what_vmap_wraps_is_measured_whole():
    """A tensor within vmap counts with the axis that is mapped over."""
    with Watch(__file__, set(), {}, {}, Record()) as watch:
        torch.vmap(lambda row: row * 2)(torch.zeros(4, 3))
    assert 12 in {step["fresh"] for step in watch.steps if step["call"] == "mul"}


def _step(value):
    return Step(call="", line=1, lines=[1], numbers=[], shapes=[], shape=None, weights=[],
                dtype=None, values=[value])  # fmt: skip


@pytest.mark.parametrize(
    "held",
    [
        lambda wrong: wrong[:, :, 4:6],
        lambda wrong: wrong[1, 2],
        lambda wrong: wrong[1, 2, 2:],
        lambda wrong: wrong.flatten(0, 1)[:, 4:],
    ],
    ids=["rows", "one head", "rows of one head", "folded"],
)
def test_a_part_is_found(held):
    """Some rows, one head, or heads folded into the batch: where they differ from the right."""
    right = torch.randn(2, 3, 6, 5, generator=torch.Generator().manual_seed(0))
    wrong = right.clone()
    wrong[:, :, 4:] += 1
    steps = [_step(right[:, :, :2]), _step(held(wrong))]
    assert holding_part(wrong, right, steps) is steps[1]
    assert holding_part(wrong, right, steps[:1]) is None


BODY = """
    s = query @ key.mT / query.shape[-1] ** 0.5
    if causal:
        n, m = s.shape[-2:]
        s = s.masked_fill(torch.ones(n, m, device=s.device).tril(m - n) == 0, float("-inf"))
"""
HEAD = "import torch\n\ndef attention_backward(query, key, value, grad_output, causal=False):\n"
BY_HAND = """
    p = s.softmax(-1)
    d = grad_output @ value.mT
    d = p * (d - (p * d).sum(-1, keepdim=True)) / query.shape[-1] ** 0.5
    return d @ key, d.mT @ query, p.mT @ grad_output
"""
TAKEN = {
    "grad": HEAD
    + "    query, key, value = (t.clone().requires_grad_() for t in (query, key, value))"
    + BODY
    + "    return torch.autograd.grad(s.softmax(-1) @ value, (query, key, value), grad_output)\n",
    "enabled": HEAD
    + "    with torch.enable_grad():\n"
    + "        leaves = [t.clone().requires_grad_() for t in (query, key, value)]\n"
    + "        out = forward(*leaves, causal)\n"
    + "    return torch.autograd.grad(out, leaves, grad_output)\n"
    + "\ndef forward(query, key, value, causal):"
    + BODY
    + "    return s.softmax(-1) @ value\n",
    "vjp": HEAD
    + "    def forward(query, key, value):"
    + BODY.replace("\n    ", "\n        ")
    + "        return s.softmax(-1) @ value\n"
    + "    return torch.func.vjp(forward, query, key, value)[1](grad_output)\n",
    "ready": HEAD
    + BODY
    + BY_HAND.replace(
        "d = p * (d - (p * d).sum(-1, keepdim=True))",
        "d = torch._softmax_backward_data(d, p, -1, p.dtype)",
    ),
}


@pytest.fixture
def judge(judged):
    """Judge a source under `backward`."""
    return lambda source: judged("backward", source)


@pytest.mark.parametrize("name", TAKEN)
def test_autograd_is_seen(judge, name):
    """However torch is asked for the gradients, the numbers are right and the rules are not."""
    report = judge(TAKEN[name])
    failed = [check.id for check in report.checks if check.status == "fail"]
    assert failed == ["rules"], report.error
    wanted = "forbidden-call" if name == "ready" else "autograd-used"
    assert report.diagnosis[0].mistake == wanted
    assert report.diagnosis[0].line is not None


@pytest.mark.parametrize("before", ["", "    query = query.detach().requires_grad_(False)\n"])
@pytest.mark.parametrize("decorator", ["", "@torch.no_grad()\n", "@torch.enable_grad()\n"])
def test_gradients_by_hand_pass(judge, before, decorator):
    """Turning gradients off, or on without using them, is no autograd."""
    source = HEAD.replace("def ", f"{decorator}def ") + before + BODY + BY_HAND
    report = judge(source)
    assert report.verdict == "pass", [(c.id, c.detail) for c in report.checks]


def test_memory_is_measured_on_more_sizes(bench):
    """A length × length tensor of one head is small among many heads, and seen with one."""
    path = Path(__file__).parent.parent / "corpus" / "wrong" / "flash_full_causal_mask.py"
    report = worded(next(bench.judge("flash", [path], Options(seed=3))), "en")
    assert [check.id for check in report.checks if check.status == "fail"] == ["structure"]
