"""Weights known by what they do: any assignment is found, and none where there is none."""

from __future__ import annotations

import pytest
import torch
from attn_kata.checker.judge.draw import small
from attn_kata.checker.judge.drawing import draw
from attn_kata.checker.judge.truth import Ready, answers
from attn_kata.checker.judge.weights.refine import PROBES, assigned
from attn_kata.kata.catalogue import find


class Model:
    """A kata's model answer, or one with an edit, as a function of weights laid end to end."""

    def __init__(self, kata, *edits):
        asked = find(kata)
        function = asked.asked.functions[0]
        made = answers(asked, edits)
        assert made is not None
        kind = made[function.name]
        assert isinstance(kind, type)
        self.kind = kind
        case = next(small(function, asked.asked.sizes, mask=function.needs_mask))
        self.given = draw(function, case, torch.Generator().manual_seed(1))
        self.shapes = {name: weight.shape for name, weight in self.given.weights.items()}
        self.count = sum(shape.numel() for shape in self.shapes.values())

    def output(self, flat):
        """What it gives with these weights."""
        parts = flat.split([shape.numel() for shape in self.shapes.values()])
        named = zip(self.shapes.items(), parts, strict=True)
        self.given.weights.update({name: part.reshape(shape) for (name, shape), part in named})
        result = Ready(self.kind, self.given)(**self.given.tensors, **self.given.plain)
        return result[0] if isinstance(result, tuple) else result

    def stored(self, places):
        """The side of a submission that holds each weight at its place."""

        def derivatives(flat, probe):
            leaf = flat.clone().requires_grad_(True)
            out = self.output(leaf[places])
            draw = torch.Generator().manual_seed(2)
            sums = torch.randn(PROBES, *out.shape, generator=draw, dtype=torch.float64)
            return torch.autograd.grad((out * sums[probe]).sum(), leaf)[0]

        return derivatives


def found(mine, right, places, spare=0):
    """Read weights that a submission stores at places, with some to spare that do nothing."""
    sides = mine.stored(places), right.stored(torch.arange(right.count))
    return assigned(*sides, (mine.count + spare, right.count), close=1e-5, seed=3)


@pytest.mark.parametrize("kata", ["mqa", "gqa", "mla", "block"])
def test_shuffled_weights_are_found(kata):
    """All of a model's weights in any order are read so that it computes what it computed."""
    model = Model(kata)
    draw = torch.Generator().manual_seed(4)
    places = torch.randperm(model.count, generator=draw)
    read = found(model, model, places)
    assert read is not None
    weights = torch.randn(model.count, generator=draw, dtype=torch.float64)
    with torch.no_grad():
        theirs = model.output(torch.where(read < 0, 0.0, weights[read]))
        assert torch.allclose(theirs, model.output(weights[places]), rtol=0, atol=1e-9)


def test_what_does_nothing_is_left_over():
    """Parameters that nothing depends on are given to no weight that something depends on."""
    model = Model("mqa")
    places = torch.arange(model.count).flip(0) + 7
    read = found(model, model, places, spare=7)
    assert read is not None
    key_bias = 12 * 12 + 12 + 4 * 12 + torch.arange(4)
    used = torch.ones(model.count, dtype=torch.bool).index_fill(0, key_bias, 0)
    assert bool((read[used] >= 7).all())
    assert bool((read[key_bias] < 0).all())


def test_other_formulas_have_no_assignment():
    """No order of weights makes up for a missing scale, or for weights used twice."""
    right = Model("mqa")
    places = torch.arange(right.count)
    scale = "math.sqrt(self.head_dim)"
    assert found(Model("mqa", ((scale, "1.0"),)), right, places) is None
    twice = places.clone()
    twice[12 * 12] = twice[12 * 12 + 1]
    assert found(right, right, twice) is None
