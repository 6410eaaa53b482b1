"""Weights that parameters make together, as low-rank factors do."""

import re

import pytest
import torch
from attn_kata.checker.judge.weights.assignments import Assignments
from attn_kata.checker.judge.weights.products import Product, brought_back, made, products, scaled
from attn_kata.kata.catalogue import katas
from attn_kata.kata.modules import Layer

LORA = """class Lora(nn.Module):
    def __init__(self, i, o, bias=True, r=3, alpha=11):
        super().__init__()
        self.base = nn.Linear(i, o, bias=bias)
        self.lora_A = nn.Parameter(torch.randn(r, i))
        self.lora_B = nn.Parameter(torch.zeros(o, r))
        self.scaling = alpha / r

    def forward(self, x):
        return self.base(x) + x @ self.lora_A.T @ self.lora_B.T * self.scaling


"""
TWO_RANKS = """import math

import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self, i, o, r, alpha):
        super().__init__()
        self.down = nn.Linear(i, r, bias=False)
        self.up = nn.Linear(r, o, bias=False)
        self.base = nn.Linear(i, o)
        self.times = {times}

    def forward(self, x):
        return self.base(x) + self.up(self.down(x)) * self.times


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, head_num, r=3):
        super().__init__()
        self.{o} = nn.Linear(hidden_dim, hidden_dim)
        self.{v} = Adapted(hidden_dim, hidden_dim, r, 11)
        self.{k} = nn.Linear(hidden_dim, hidden_dim)
        self.{q} = Adapted(hidden_dim, hidden_dim, r + 2, 11)
        self.head_num = head_num

    def forward(self, x, mask=None):
        batch, length, width = x.shape
        split = batch, length, self.head_num, width // self.head_num
        query, key, value = (
            layer(x).view(split).transpose(1, 2) for layer in (self.{q}, self.{k}, self.{v})
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt({scale})
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        context = scores.softmax(dim=-1) @ value
        return self.{o}(context.transpose(1, 2).reshape(batch, length, width))
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


def two_ranks(names, times, scale="split[-1]"):
    """Multi-head attention whose queries and values have low-rank factors, of a rank each."""
    return TWO_RANKS.format(times=times, scale=scale, **dict(zip("qkvo", names, strict=True)))


@pytest.mark.parametrize("names", ["qkvo", ("one", "two", "three", "four")], ids=["said", "unsaid"])
@pytest.mark.parametrize("times", ["alpha / r", "alpha / math.sqrt(r)", "0.3", "-1.7 / r"])
def test_what_is_added_may_count_as_often_as_it_likes(judged, names, times):
    """How often is solved for, at each rank; layers are made in the order that nobody expects."""
    assert judged("mha", two_ranks(names, times)).verdict == "pass"


def test_a_mistake_beside_what_is_added_is_named(judged):
    """A query's factors change nothing at length 1: they count as the value's do."""
    source = two_ranks("qkvo", "alpha / r", scale="width")
    report = judged("mha", source)
    line = source[: source.index("scores = ")].count("\n") + 1
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("scale-by-hidden-dim", line)]


def test_how_often_a_product_counts():
    """The rule is the one that holds at every rank; of several, one whose number is written."""
    one = Product(name="w", left=("b", 1), right=("a", 0), base="w")

    def rule(*counts, written=()):
        found = scaled(one, counts, written)
        return found and (found.scale, found.power)

    assert rule((2, 3.0), (4, 3.0)) == (3.0, 0.0)
    assert rule((2, 3.0), (4, 1.5)) == (6.0, 1.0)
    assert rule((4, 3.0), (9, 2.0)) == (6.0, 0.5)
    assert rule((2, 3.0), (4, 2.0)) is None
    assert rule((4, 3.0)) == (3.0, 0.0)
    assert rule((4, 3.0), written=[12.0]) == (12.0, 1.0)


def test_blocks_hold_their_layers_alike():
    """What is stacked takes the same features, and the first ways do the same in every block."""
    kinds = {"query": "E", "key": "E", "value": "E", "output": "H*D"}
    layers = [Layer(name=f"blocks.{block}.{kind}", shape=("E", taken), also=())
              for block in range(3) for kind, taken in kinds.items()]  # fmt: skip
    thick = {f"{block}.{name}": shape for block in range(3)
             for name, shape in (("mix", (6, 6)), ("all", (18, 6)))}  # fmt: skip
    wanted = {one.name: 36 for one in layers}
    some = Assignments(thick=thick, layers=layers, wanted=wanted, loose=False)
    first = {names: held for held, names in next(iter(some))}
    for block in range(3):
        begun = f"blocks.{block}."
        assert first[f"{block}.mix",] == (f"{begun}output",)
        assert first[f"{block}.all",] == (f"{begun}query", f"{begun}key", f"{begun}value")


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
