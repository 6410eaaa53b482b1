"""What is said where shapes or indices do not fit: the cause where it holds, and no other."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from attn_kata.checker.diagnose.fitting import misfit
from attn_kata.checker.diagnose.indices import about_index
from attn_kata.checker.judge.source import Source
from attn_kata.checker.process.answers import Operation, Part, Raised

# Statements, and how what is said ends in English; "" where nothing is told.
FITTING = {
    "split into three": (
        "a, b, c = x.repeat(1, 1, 3).split(3, dim=-1)",
        "`split(3)` makes pieces of 3 entries each, here 6 of them; `chunk(3)` makes 3 pieces",
    ),
    "split as a function": (
        "a, b = torch.split(x, 2, -1)",
        "`split(2)` makes pieces of 2 entries each, here 3 of them; `chunk(2)` makes 2 pieces",
    ),
    "split of what is too narrow": (
        "a, b, c = x.split(6, dim=-1)",
        "`split(6)` makes pieces of 6 entries each, here 1 of them, and 3 names stand on the left",
    ),
    "split by a list": (
        "a, b = x.split([2, 2, 2], -1)",
        "it makes 3 pieces here, and 2 names stand on the left",
    ),
    "a tensor into names": (
        "q, k, v = nn.Linear(6, 18)(x)",
        ("a tensor is taken apart along its first axis, which is 2 long, and 3 names stand on the "
        "left; `.shape` gives its sizes, `.chunk(3, dim=-1)` takes the last axis apart"),
    ),
    "names of one's own making": ("a, b = [1, 2, 3]", ""),
    "an axis of another width": (
        "nn.Linear(6, 24)(x).view(2, 5, 2, 4)",
        ("the axis that is taken apart has 24 entries, and the new sizes make 2 × 4 = 8: one of "
        "them is wrong, or the layer that made this axis has another width"),
    ),
    "another length": (
        "x.view(2, 7, 2, 3)",
        ("take the sizes from the tensor itself, `x.shape`, not from the constructor or from "
        "another sequence"),
    ),
    "another length, the rest open": (
        "x.view(2, 7, -1)",
        ("take the sizes from the tensor itself, `x.shape`, not from the constructor or from "
        "another sequence"),
    ),
    "axes into one": (
        "heads.transpose(1, 2).reshape(2, 5, 13)",
        "the axes that are put together have 3 × 4 = 12 entries, and the new one is to have 13",
    ),
    "one axis for one": ("x.view(2, 5, 7)", "the last axis has 6 entries, and is to have 7"),
    "no whole number": (
        "x.view(2, 5, -1, 4)", "6 cannot be divided by 4, so no whole number stands for -1",
    ),
    "expand to a multiple": (
        "heads.expand(2, 12, 5, 4)",
        ("`expand` repeats only axes of size 1, and this one has 3; `unsqueeze` first, or "
        "`repeat_interleave`, which repeats each entry"),
    ),
    "expand to another size": (
        "heads.expand(2, 4, 5, 4)",
        ("`expand` repeats only axes of size 1, and this one has 3; `unsqueeze` puts in an axis of "
        "size 1"),
    ),
    "expand with too few": (
        "heads.expand(6, 5)",
        "`expand` has to be given a size for each axis of the tensor, not 2 alone",
    ),
    "all axes moved": (
        "heads.movedim(0, 2, 1, 3)",
        ("`.movedim` takes where an axis is and where it goes; `.permute` puts all of them in an "
        "order"),
    ),
    "moved as it is not": ('heads.movedim("a", "b")', "`heads` is (2, 3, 5, 4)"),
    "all axes swapped": (
        "heads.swapaxes(0, 2, 1, 3)",
        "`.swapaxes` swaps two axes; `.permute` puts all of them in an order",
    ),
    "floats joined": (
        "seen & mask",
        ("`&` joins booleans or whole numbers, and floats are in `mask`; compare first, or call "
        "`.bool()`"),
    ),
    "floats inverted": (
        "~mask", "`~` inverts booleans, and `mask` holds floats; compare it first: `mask == 0`",
    ),
    "an average of whole numbers": (
        "torch.arange(4).mean()", "this is done on floats alone; convert the tensor first",
    ),
    "an index that was divided": (
        "place = torch.arange(4) / 2\nx[0][place]",
        ("indices are whole numbers, and the `/` on line {first} makes `place` floats; `//` gives "
        "whole numbers"),
    ),
    "an index of floats": (
        "mask.index_select(1, mask[0])", "indices are whole numbers, and `mask[0]` holds floats",
    ),
    "an index of floats beside others": (
        "place = mask[0]\nplace = place * 2\nx[seen, place]",
        "indices are whole numbers, and `place` holds floats",
    ),
    "an embedding's floats": (
        "F.embedding(mask, x[0])", "indices are whole numbers, and `mask` holds floats",
    ),
    "half a list": (
        "[1, 2][len(x) / 2]", "an index has to be an int, and `/` gives a float; write `//`",
    ),
    "a float for an index": ("place = 1.0\n[1, 2][place] / 2", "an index has to be an int"),
    "below what is gathered": (
        "place = torch.tensor([[-1], [3]])\nmask.gather(1, place)",
        "`place` holds numbers from -1 to 3, and 0 to 4 are allowed",
    ),
    "beyond what is indexed": (
        "x[0][torch.arange(7)]",
        "`torch.arange(7)` holds numbers from 0 to 6, and -5 to 4 are allowed",
    ),
    "beyond the second of two": (
        "x[torch.arange(2), torch.tensor([0, 9])]", "`torch.tensor([0, 9])` is (2,) int64",
    ),
    "beyond what is embedded": (
        "nn.Embedding(5, 3)(torch.arange(7) - 1)",
        "`torch.arange(7) - 1` holds numbers from -1 to 5, and 0 to 4 are allowed",
    ),
    "beyond the classes": (
        "F.cross_entropy(x[0], torch.arange(5) + 3)",
        "`torch.arange(5) + 3` holds numbers from 3 to 7, and 0 to 5 are allowed",
    ),
    "one value a row": (
        "value = torch.rand(2)\ntorch.searchsorted(mask, value)",
        ("for each row of the first there has to be a row of values: `value.unsqueeze(-1)` makes "
        "rows of one"),
    ),
    "other rows": (
        "torch.searchsorted(mask, torch.rand(3, 4))",
        "all axes but the last have to be the same in both",
    ),
    "an axis fewer": (
        "best = x.sum(-1).argmax(-1)\ntorch.cat([torch.zeros(2, 5), best], dim=1)",
        ("`best` has fewer axes than `torch.zeros(2, 5)`, 1 where that has 2; `keepdim=True` keeps "
        "the axis that a sum or an argmax takes away, `unsqueeze` puts one in"),
    ),
    "joined along another axis": (
        "torch.cat([heads, heads[:, :, :1]], dim=1)",
        "differ along axis 2 alone, 5 and 1: along that one they could be joined",
    ),
    "joined before they are repeated": (
        "torch.cat([heads, heads[:, :1, :, :2]], dim=-1)",
        ("they are joined along axis 3, and axis 1 differs: 3 and 1; `expand` repeats an axis of "
        "size 1"),
    ),
    "joined after one was repeated": (
        "torch.cat([heads, heads[:, :2, :1]], dim=2)",
        ("axis 1 differs: 3 and 2; all axes but the one that they are joined along have to be the "
         "same"),
    ),
    "a product without the axis of the heads": (
        "heads @ x[:, :, :4].mT",
        ("have to be the same or 1; `x[:, :, :4].mT` has an axis fewer: `unsqueeze(1)` puts one of "
        "size 1 in"),
    ),
    "an axis to be put in": (
        "torch.rand(5, 7, 6, 4) * torch.rand(7, 4)",
        "differ where neither is 1; `unsqueeze(1)` on `torch.rand(7, 4)` would make it fit",
    ),
    "an axis that could be put in nowhere": (
        "heads + torch.rand(2, 5, 3)",
        "where a tensor lacks an axis, `unsqueeze` puts in one of size 1",
    ),
    "a product with a vector": (
        "x @ torch.ones(5)",
        "the last axis of the first (6) has to be as long as the vector (5)",
    ),
    "keys of another width": (
        "F.scaled_dot_product_attention(heads, heads[..., :3], heads)",
        ("the query and the key have to have the same last axis, and the key and the value the "
         "same length"),
    ),
    "batches of another size": (
        "torch.bmm(x, x.mT[:1])",
        "fold the heads into the batch on both sides, or use `@`, which broadcasts",
    ),
    "a product of other heads": (
        "heads @ torch.rand(7, 4, 6)",
        "the axes before the last two, (2, 3) and (7,), have to be the same or 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FITTING)
def test_what_does_not_fit_is_told_where_it_holds(refusal, name):
    """What a refusal of shapes or indices comes of is said, and of a near one what that does."""
    statements, words = FITTING[name]
    said = refusal(statements)
    assert said.ends(words), said


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python says which expression raised")
def test_what_is_put_into_a_place(refusal):
    """An assignment into a part of a tensor is no `expand`."""
    said = refusal("kept = x.clone()\nkept[:, 0] = torch.zeros(3)")["en"]
    assert said.endswith("what is put in, (3,), has to broadcast to the place that it is put "
                         "into, (2, 6)")  # fmt: skip


@pytest.mark.parametrize(
    ("message", "made"),
    [
        (
            "list index out of range",
            Operation(call="[]", text="a[", parts=[], numbers={"0": 3}, length=1),
        ),
        (
            "tensors used as indices must be long",
            Operation(call="[]", text="x[i]", parts=[
                Part(text=text, shape=[2], dtype="float32") for text in ("x", "(" * 300)]),
        ),
        (
            "shape '[2, 7]' is invalid for input of size 3",
            Operation(call="view", text="x", parts=[
                Part(text="x", shape=[2, *[10**4000] * 2], dtype="float32")]),
        ),
        (
            "Expected size for first two dimensions of batch2",
            Operation(call="@", text="x @ x", parts=[
                Part(text="x", shape=[], dtype="float32") for _ in range(2)]),
        ),
    ],
)  # fmt: skip
def test_what_a_process_claims_is_taken_as_a_claim(message, made):
    """Text that is no code, and sizes that no tensor has, are told of in words or not at all."""
    fault = Raised(type="RuntimeError", kinds=[], message=message, line=1, made_of=made)
    about_index(fault, Source(path=Path("mine.py"), text="x[i]", tree=ast.parse("x[i]")))
    assert misfit(fault) is None
