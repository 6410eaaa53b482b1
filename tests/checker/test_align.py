"""Roles are found by derivatives, whatever the layout and whatever the names."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
from attn_kata.checker.judge.classes import align, layout, probes
from attn_kata.checker.judge.classes.plan import Binding, ForwardPlan, Size
from attn_kata.checker.judge.classes.truth import Truth
from attn_kata.kata.catalogue import find
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

BINDING = Binding(
    class_name="Scattered", constructor=(), forward=ForwardPlan(sources=(("x", "x"),))
)


class Scattered:
    """Multi-head attention whose weights lie in one flat vector, in any order.

    blocks: the order of q, k, v and o. turned: matrices stored as (in, out). by_head: features
    of a head lie strided, not side by side. biased: q, v and o have biases, after all matrices.
    """

    def __init__(self, size: Size, blocks: str, *, turned: bool, by_head: bool, biased: bool):
        self.size, self.blocks = size, blocks
        self.turned, self.by_head, self.biased = turned, by_head, biased
        width = size.hidden
        self.shapes = {"flat": (4 * width * width + 3 * width * biased,)}

    def __call__(self, flat: Tensor, x: Tensor) -> Tensor:
        """Return the attention's output for (batch, length, width) inputs."""
        width, heads = self.size.hidden, self.size.heads
        matrices = dict(
            zip(self.blocks, flat[: 4 * width * width].view(4, width, width), strict=True)
        )
        rest = flat[4 * width * width :].view(-1, width)
        biases: dict[str, Any] = dict(zip("qvo", rest, strict=False))

        def project(role: str, given: Tensor) -> Tensor:
            matrix = matrices[role]
            out = given @ (matrix if self.turned else matrix.T)
            return out + biases[role] if role in biases else out

        def split(rows: Tensor) -> Tensor:
            batch, length, _ = rows.shape
            if self.by_head:
                return rows.view(batch, length, -1, heads).permute(0, 3, 1, 2)
            return rows.view(batch, length, heads, -1).transpose(1, 2)

        query, key, value = (split(project(role, x)) for role in "qkv")
        scores = query @ key.mT / self.size.head_dim**0.5
        context = scores.softmax(-1) @ value
        order = (0, 2, 3, 1) if self.by_head else (0, 2, 1, 3)
        return project("o", context.permute(order).flatten(2))


def answers(code: Scattered, flat: Tensor, given: probes.Probe) -> list[dict[str, Tensor]]:
    """What the candidate's process would answer to the two derivative calls."""
    found = []
    for inputs in (given.single, given.pair):
        leaf = flat.clone().requires_grad_()
        out = code(leaf, inputs["x"])
        rows = [
            [torch.autograd.grad(number, leaf, retain_graph=True)[0] for number in sample[-1]]
            for sample in out
        ]
        table = torch.stack([torch.stack(row) for row in rows])
        found.append({"out": out.detach(), "jacobian": table})
    return found


def identified(code: Scattered, size: Size, seed: int) -> Any:
    """The roles that the derivatives give, and how many heads."""
    draw = torch.Generator().manual_seed(seed)
    count = code.shapes["flat"][0]
    flat = torch.randn(count, generator=draw, dtype=torch.float64) * 0.8 / size.hidden**0.5
    given = probes.probe(BINDING, size.hidden, draw, cross=False)
    single, pair = answers(code, flat, given)
    return align.identify(code.shapes, {"flat": flat}, given, single, pair, size)


@settings(max_examples=25, deadline=None)
@given(
    blocks=st.sampled_from(["".join(p) for p in itertools.permutations("qkvo")]),
    heads=st.integers(1, 3),
    depth=st.integers(1, 3),
    turned=st.booleans(),
    by_head=st.booleans(),
    biased=st.booleans(),
    seed=st.integers(0, 999),
)
def test_any_layout(
    blocks: str, heads: int, depth: int, turned: bool, by_head: bool, biased: bool, seed: int
) -> None:
    """With the roles found, the reference gives the same output on other weights and inputs."""
    size = Size(hidden=max(2, heads * depth), heads=heads if heads * depth > 1 else 1)
    code = Scattered(size, blocks, turned=turned, by_head=by_head, biased=biased)
    roles, found = identified(code, size, seed)
    assert found == size.heads
    draw = torch.Generator().manual_seed(seed + 1)
    flat = torch.randn(code.shapes["flat"][0], generator=draw, dtype=torch.float64)
    x = torch.randn(2, 4, size.hidden, generator=draw, dtype=torch.float64)
    truth = Truth(find("mha"), size)
    truth.load(roles, roles.flatten({"flat": flat}))
    torch.testing.assert_close(truth.run({"x": x}), code(flat, x))


def test_layout_is_carried_to_another_size() -> None:
    """What is learned at one size holds at others, without derivatives."""
    size, other = Size(hidden=8, heads=2), Size(hidden=15, heads=3)
    code = Scattered(size, "kqvo", turned=True, by_head=False, biased=False)
    roles, _ = identified(code, size, 3)
    # One parameter for the inputs and one for the output, as people have it.
    roles.names, roles.shapes = ("kqv", "o"), {"kqv": (24, 8), "o": (8, 8)}
    layouts = layout.learn(roles, size)
    assert layouts is not None
    larger = Scattered(other, "kqvo", turned=True, by_head=False, biased=False)
    carried = layout.carry(layouts, {"kqv": (45, 15), "o": (15, 15)}, other, roles)
    assert carried is not None
    again, _ = identified(larger, other, 4)
    for role in "qkvo":
        assert torch.equal(getattr(carried, role), getattr(again, role))


def test_features_merged_in_another_order() -> None:
    """Heads split side by side and merged strided are another matrix product than its name says."""

    class Mismatched(Scattered):
        def __call__(self, flat: Tensor, x: Tensor) -> Tensor:
            width = self.size.hidden
            start = 4 * width * width
            head = torch.arange(width).view(self.size.heads, -1).T.flatten()
            matrix = flat[3 * width * width : start].view(width, width)
            kept = torch.cat([flat[: 3 * width * width], matrix[:, head].flatten(), flat[start:]])
            return super().__call__(kept, x)

    size = Size(hidden=6, heads=2)
    code = Mismatched(size, "qkvo", turned=False, by_head=False, biased=False)
    with pytest.raises(align.Unaligned) as trouble:
        identified(code, size, 5)
    assert trouble.value.stage == "order"
