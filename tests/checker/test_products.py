"""Weights that parameters make together, as low-rank factors do."""

import re

import pytest
import torch
from attn_kata.checker.judge.weights.products import Product, brought_back, made, products
from attn_kata.kata.catalogue import katas
from attn_kata.kata.modules import Layer

LORA = """class Lora(nn.Module):
    def __init__(self, i, o, bias=True, r=3, alpha=6):
        super().__init__()
        self.base = nn.Linear(i, o, bias=bias)
        self.lora_A = nn.Parameter(torch.randn(r, i))
        self.lora_B = nn.Parameter(torch.zeros(o, r))
        self.scaling = alpha / r

    def forward(self, x):
        return self.base(x) + x @ self.lora_A.T @ self.lora_B.T * self.scaling


"""
LINEAR = "nn.Linear("
WITH_LAYERS = [kata for kata in katas() if LINEAR in kata.solution()]
ROW = {"E": 6, "F": 24}
LAYERS = [
    Layer(name="query", shape=("E", "E"), also=("q",)),
    Layer(name="up_proj", shape=("F", "E"), also=("up",)),
    Layer(name="down_proj", shape=("E", "F"), also=("down",)),
]


def adapted(source, layer=LORA):
    """A file with low-rank factors beside each of its linear layers."""
    head = re.search(r"^(@|class |def )", source, re.MULTILINE)
    assert head is not None
    imported = "import torch\n" if "\nimport torch\n" not in source else ""
    before, after = source[: head.start()], source[head.start() :]
    # Nothing may stand before what a file takes from the future.
    before = before.replace("import annotations\n", f"import annotations\n{imported}", 1)
    return f"{before}{layer}{after.replace(LINEAR, 'Lora(')}"


@pytest.mark.each_kata
@pytest.mark.parametrize("kata", WITH_LAYERS, ids=lambda kata: kata.id)
def test_lora_beside_every_layer_is_right(judged, kata):
    """A weight and what is added to it are one weight, with gradients of each of its parts."""
    source = adapted(kata.solution())
    assert source.count("Lora(") > 1
    assert judged(kata.id, source).verdict == "pass"


def test_bare_weights_without_a_stem_are_asked_too(judged):
    """A parameter that is called `bias` and nothing more: what is wrong is named beside it."""
    source = """
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.width = hidden_dim
        self.kernel = nn.Parameter(torch.randn(hidden_dim, 3 * hidden_dim))
        self.bias = nn.Parameter(torch.zeros(3 * hidden_dim))

    def forward(self, x):
        fused = x @ self.kernel + self.bias
        q, k, _ = fused.split(self.width, -1)
        v = k
        return (q @ k.transpose(1, 2) / self.width**0.5).softmax(-1) @ v
"""
    report = judged("v2", source)
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("values-from-keys", 16)]


def test_a_factor_that_cannot_learn_is_found(judged, root):
    """What is right in its numbers alone fails, as everywhere."""
    cut = LORA.replace("self.lora_A.T", "self.lora_A.detach().T")
    source = (root / "reference" / "mha.py").read_text("utf-8")
    report = judged("mha", adapted(source, cut))
    assert [check.id for check in report.checks if check.status == "fail"] == ["gradients"]


def test_gradients_reach_the_factors():
    """They are those that autograd gives through the product."""
    one = Product(
        name="w", left=("b", 1), right=("a", 0), base="w", ends=("", "", "end"), scale=3.0,
        power=1.0,
    )  # fmt: skip
    draw = torch.Generator().manual_seed(1)
    shapes = {"w": (4, 5), "a": (2, 5), "b": (4, 2), "end": (4,), "other": (3,)}
    values = {n: torch.randn(s, generator=draw, dtype=torch.float64) for n, s in shapes.items()}
    whole = made([one], values)
    assert [*whole] == ["w", "end", "other"]
    torch.testing.assert_close(whole["w"], values["w"] + 1.5 * values["b"] @ values["a"])
    grads = {name: torch.ones_like(value) for name, value in whole.items()}
    back = brought_back([one], grads, values)
    assert {*back} == {*shapes}
    torch.testing.assert_close(back["a"], 1.5 * values["b"].T @ grads["w"])
    torch.testing.assert_close(back["b"], 1.5 * grads["w"] @ values["a"].T)


def test_layers_of_the_answer_are_no_factors():
    """An MLP's two layers meet as factors do, at a width that the answer has."""
    shapes = {"mlp.0.weight": (24, 6), "mlp.2.weight": (6, 24)}
    assert not [*products(shapes, LAYERS, [ROW], [shapes], frozenset(shapes))]
    factors = {"q.0.weight": (2, 6), "q.1.weight": (6, 2), "q.1.bias": (6,)}
    ((one,),) = products(factors, LAYERS, [ROW], [factors], frozenset(factors))
    assert (one.left, one.right, one.end) == (("q.1.weight", 1), ("q.0.weight", 0), "q.1.bias")
