"""Weights that lie as few write them: stacked layers alternate, heads on the last axis."""

from __future__ import annotations

import pytest
import torch
from attn_kata.checker.judge.weights.readings import readings
from attn_kata.checker.judge.weights.takes import Take, pieces, tables
from attn_kata.checker.judge.weights.united import united
from attn_kata.kata.modules import Layer

SIZES = {"E": 5, "H": 2, "D": 3, "C": 4}
QUERY, KEY, VALUE = (Layer(name=name, shape=("H * D", "E")) for name in ("query", "key", "value"))
DOWN = Layer(name="down", shape=("C", "E"))
OUT = Layer(name="out", shape=("E", "H * D"), meets="value")
LINEAR = frozenset(["a.weight", "b.weight"])


def orders(reading, shapes):
    """Return the order of features in a value's rows and in an output projection's columns."""
    placed = tables(reading, shapes, [VALUE, OUT], SIZES)
    assert placed is not None
    lines = placed["value.weight"][:, 0], placed["out.weight"][0]
    return tuple(tuple(line.argsort().argsort().tolist()) for line in lines)


@pytest.mark.parametrize(
    "shapes",
    [
        {"a.weight": (6, 5), "b.weight": (5, 6)},
        {"value": (2, 3, 5), "out": (2, 3, 5)},
        {"value": (5, 3, 2), "out": (5, 2, 3)},
    ],
    ids=["matrices", "heads first", "one turned"],
)
def test_heads_lie_as_they_are_merged(shapes):
    """Feature c may belong to head c % heads where split and merged, not in one."""
    found = {
        orders(one, shapes)
        for turned in (False, True)
        for one in readings(shapes, [VALUE, OUT], SIZES, LINEAR, turned=turned)
    }
    heads_last = (0, 2, 4, 1, 3, 5)
    assert found >= {(tuple(range(6)),) * 2, (heads_last, heads_last)}
    assert all(value == out for value, out in found)


def test_a_way_to_lie_is_tried_once():
    """Two descriptions of the same places are one reading."""
    shapes = {"a": (3, 2, 3, 5)}
    found = list(readings(shapes, [QUERY, KEY, VALUE], SIZES, frozenset(), symbols="HD"))
    places: list[tuple[int, ...]] = []
    for one in found:
        placed = tables(one, shapes, [QUERY, KEY, VALUE], SIZES)
        assert placed is not None
        held = [placed[f"{name}.weight"].flatten() for name in ("query", "key", "value")]
        places.append(tuple(torch.cat(held).tolist()))
    assert len(set(places)) == len(places)


def test_norms_may_share_a_parameter():
    """A row a norm, in either order; their biases likewise."""
    norms = [Layer(name=name, shape=("E",)) for name in ("first", "second")]
    shapes = {"a.weight": (6, 5), "gains": (2, 5), "gains_bias": (2, 5)}
    found = list(readings(shapes, [QUERY, *norms], SIZES, LINEAR))
    assert len(found) == 2
    placed = tables(found[0], shapes, [QUERY, *norms], SIZES)
    assert placed is not None
    assert placed["second.weight"].tolist() == [35, 36, 37, 38, 39]
    assert placed["second.bias"].tolist() == [45, 46, 47, 48, 49]


@pytest.mark.parametrize("stored", ["less one", "logarithm"])
def test_a_norm_may_multiply_by_more_than_it_holds(stored):
    """`1 + weight` or `exp(weight)`, so that a fresh weight is zero. No other vector is."""
    norm, other = (Layer(name=name, shape=("E",), gain=name == "g") for name in ("g", "lambda"))
    shapes = {"a.weight": (6, 5), "g": (5,), "lambda": (5,)}
    found = readings(shapes, [QUERY, norm, other], SIZES, LINEAR, turned=True)
    ways = [{take.layers[0]: take.stored for take in one} for one in found]
    assert {"query": "", "g": stored, "lambda": ""} in ways


def test_a_module_a_head_may_hold_several_layers():
    """Keys and values of a head in one list's entry, though an entry is as large as a layer."""
    layers, shapes = [KEY, VALUE], {f"pairs.{n}.weight": (6, 5) for n in range(2)}
    names = frozenset(shapes)
    found = list(readings(shapes, layers, SIZES, names, symbols="HD"))
    held = {(take.layers, take.names, take.parts) for one in found for take in one}
    assert (("value", "key"), tuple(shapes), "H") in held
    assert (("key",), ("pairs.0.weight",), "") in held


def test_a_convolution_of_one_is_a_matrix():
    """`nn.Conv1d` with a kernel of 1 has three axes, also where names alone are gone by."""
    shapes = {"query.weight": (6, 5, 1)}
    for loose in (False, True):
        (first, *_) = readings(shapes, [QUERY], SIZES, frozenset(), loose=loose)
        placed = tables(first, shapes, [QUERY], SIZES, loose=loose)
        assert placed is not None
        assert placed["query.weight"].flatten().tolist() == list(range(30))


def test_a_parameter_may_be_missing():
    """Where an object of some size could not be made, its weights fit nothing."""
    take = Take(layers=("query",), names=("a.weight",))
    assert pieces(take, {}, [(6, 5)], SIZES, loose=True) is None
    assert tables((take,), {}, [QUERY], SIZES, loose=True) is None


@pytest.mark.costly
@pytest.mark.parametrize("fused", [True, False])
def test_what_layers_make_leaves_no_doubt(judged, fused):
    """Where the trace holds what each layer makes, the formula is wrong and no layout unknown."""
    text = BLOCK.replace("SIZE", "1000").replace("self.ln2(x)", "self.ln2(x).roll(1, 1)")
    if not fused:
        whole, apart = (
            "self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)",
            ("self.q, self.k, self.v = (nn.Linear(hidden_dim, hidden_dim) for _ in range(3))"),
        )
        text = text.replace(whole, apart).replace(
            "self.qkv(self.ln1(x))",
            "torch.cat([one(self.ln1(x)) for one in (self.q, self.k, self.v)], -1)",
        )
    report = judged("block", text, diagnose=False)
    assert report.verdict == "fail"
    values = next(check for check in report.checks if check.id == "values")
    assert "no layout that it tried" not in values.detail


@pytest.mark.costly
@pytest.mark.parametrize(
    ("size", "told"),
    [("hidden_dim", "must match"), ("1000 if num_heads != 4 else 1 / 0", "ZeroDivisionError")],
    ids=["too small a buffer", "not made"],
)
def test_one_size_that_cannot_be(judged, size, told):
    """A class that fails at some sizes alone fails there, and the judge stands."""
    report = judged("block", BLOCK.replace("SIZE", size))
    assert report.verdict == "fail", report.error
    assert told in " ".join(check.detail or "" for check in report.checks)


BLOCK = """
import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads, size = num_heads, int(SIZE)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("tril", torch.ones(size, size).tril())
        self.up, self.down = nn.Linear(hidden_dim, 4 * hidden_dim), nn.Linear(4 * hidden_dim, hidden_dim)
        self.ln1, self.ln2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = scores.masked_fill(self.tril[:t, :t] == 0, float("-inf")).softmax(-1)
        x = x + self.proj((weights @ v).transpose(1, 2).reshape(b, t, c))
        return x + self.down(nn.functional.gelu(self.up(self.ln2(x))))
"""  # noqa: E501 - a submission


def test_norms_whose_names_say_nothing_lie_in_their_blocks():
    """What stands outside of the blocks comes first among the parameters, and is the last norm."""
    names = ("blocks.0.one", "blocks.0.two", "blocks.1.one", "blocks.1.two", "last")
    shapes = {"g": (5,), **{f"h.{n}.{one}": (5,) for n in range(2) for one in "rs"}}
    first = next(
        readings(shapes, [Layer(name=name, shape=("E",)) for name in names], SIZES, LINEAR)
    )
    held = {take.layers: take.names for take in first}
    assert held["last",] == ("g",)
    assert [held[name,] for name in names[:4]] == [("h.0.r",), ("h.0.s",), ("h.1.r",), ("h.1.s",)]


def test_a_bias_stands_second_in_a_list_of_two():
    """Where there are more vectors than norms; no word says which of them is the bias."""
    norms = [Layer(name=name, shape=("E",)) for name in ("first", "second")]
    pairs = {"a.0": (6, 5), "a.1": (6,), "n.0.0": (5,), "n.0.1": (5,), "n.1.0": (5,), "n.1.1": (5,)}
    found = next(readings(pairs, [QUERY, *norms], SIZES, LINEAR))
    assert [(*take.names, *take.biases) for take in found] == [
        ("a.0", "a.1"), ("n.0.0", "n.0.1"), ("n.1.0", "n.1.1"),
    ]  # fmt: skip
    alone = next(
        readings({"a.0": (6, 5), "n.0": (5,), "n.1": (5,)}, [QUERY, *norms], SIZES, LINEAR)
    )
    assert [take.biases for take in alone] == [(), (), ()]


def test_one_parameter_may_hold_what_several_layers_should():
    """What its name says is among them, and whatever has a parameter of its own is not."""
    layers = [
        Layer(name=name, shape=("E", "E"), also=(name[0],)) for name in ("query", "key", "value")
    ]
    shapes = {"q.weight": (5, 5), "kv.weight": (5, 5)}
    found = [
        {take.layers[0]: take.names[0] for take in reading}
        for reading in united(shapes, layers, SIZES, frozenset(shapes))
    ]
    assert found == [{"query": "q.weight", "key": "kv.weight", "value": "kv.weight"}]
    whole = {f"{one.name}.weight": (5, 5) for one in layers}
    assert not [*united(whole, layers, SIZES, frozenset(whole))]
