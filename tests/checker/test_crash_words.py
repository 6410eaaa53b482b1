"""What is said of torch's common refusals: the cause where it holds, and nothing where it does not.

No judge is asked: what a call raises is described as the candidate's process does it.
"""

from __future__ import annotations

import linecache
import sys

import pytest
import torch
from attn_kata.checker.candidate import operands
from attn_kata.checker.candidate.loading import describe_exception
from attn_kata.checker.diagnose.crashes import because
from attn_kata.checker.judge.source import read
from attn_kata.checker.process.answers import Raised
from attn_kata.checker.process.forms import decode
from attn_kata.sentences.wording import sentence

HEAD = """import math
import torch
import torch.nn.functional as F
from torch import nn

x = torch.rand(2, 5, 6)
heads = torch.rand(2, 3, 5, 4)
mask = torch.ones(2, 5)
seen = torch.ones(2, 5).bool()


def call():
"""
# The line of a body's first statement.
FIRST = HEAD.count("\n") + 1


@pytest.fixture
def told(tmp_path):
    """What is said of what some statements raise, in both languages."""

    def run(body: str) -> dict[str, str]:
        path = tmp_path / "mine.py"
        path.write_text(HEAD + "".join(f"    {row}\n" for row in body.split("\n")))
        operands._trees.pop(str(path), None)
        linecache.checkcache(str(path))
        held = {"__name__": "submission"}
        exec(compile(path.read_text(), str(path), "exec"), held)
        with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever torch raises
            held["call"]()
        fault = decode(Raised, describe_exception(caught.value, str(path)))
        said = because(fault, read(path))
        return {language: sentence(said, language) for language in ("en", "zh")}

    return run


# Statements, and how what is said ends in English; "" where nothing is told. Of shapes and
# indices, then of all else.
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
        (f"indices are whole numbers, and the `/` on line {FIRST} makes `place` floats; `//` gives "
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
    "a product with a vector": (
        "x @ torch.ones(5)",
        "the last axis of the first (6) has to be as long as the vector (5)",
    ),
    "a product of other heads": (
        "heads @ torch.rand(7, 4, 6)",
        "the axes before the last two, (2, 3) and (7,), have to be the same or 1",
    ),
}  # fmt: skip
OTHERS = {
    "under an if": (
        "if len(x) > 9:\n    hidden = x\nreturn hidden",
        f"only line {FIRST + 1} sets `hidden`, and it was not run: it stands under an `if`",
    ),
    "under several": (
        "if len(x) > 9:\n    hidden = x\nelif len(x) > 8:\n    hidden = mask\nreturn hidden",
        "every line that sets `hidden` stands under an `if`, and none of them was run",
    ),
    "in a loop": (
        "for row in []:\n    hidden = row\nreturn hidden",
        f"only line {FIRST + 1} sets `hidden`, and it was not run: it stands in a loop",
    ),
    "set later": (
        "kept = hidden + x\nhidden = x",
        f"this function sets `hidden` only on line {FIRST + 1}, so that it has no value before",
    ),
    "deleted": ("hidden = x\ndel hidden\nreturn hidden", ""),
    "in a try": ("try:\n    hidden = x @ mask\nexcept Exception:\n    pass\nreturn hidden", ""),
    "beyond a list": (
        "rows = [x, x]\nfor step in range(3):\n    rows[step] + 1",
        "`rows` has length 2, and is asked for entry 2, counted from 0",
    ),
    "before a list": (
        "rows = []\nx + rows[-2]",
        "`rows` has length 0, and is asked for entry -2, counted from its end",
    ),
    "beyond a shape": ("x.shape[3]", "and is asked for entry 3, counted from 0"),
    "a number called": (
        "width = x.shape[0]\nwidth(x)",
        "is an operator missing, or does one name stand for two things?",
    ),
    "a text for a number": (
        'x.masked_fill(seen[:, :, None], "-inf")',
        '`masked_fill` fills with a number, not with a text: `float("-inf")`',
    ),
    "a key of a tuple": ("pair = (x, x)\npair['k']", "which has places and no keys"),
    "axes of a list": (
        "rows = [x, x]\nrows[:, 0]",
        "only a tensor one for each axis; `torch.stack` makes a tensor of tensors",
    ),
    "a tensor for an axis": (
        "nn.Softmax(x)(x)", "`dim` is the number of an axis, and a tensor is given for it",
    ),
    "more than there are": ("x.topk(9)", "`k` has to lie between 0 and the length of the axis"),
    "logits drawn by": (
        "torch.multinomial(x[0] - 5, 1)",
        ("the weights that are drawn by have to be finite and not below 0; logits need a softmax "
         "first"),
    ),
    "another dtype put in": (
        "mask.scatter(1, torch.zeros(2, 1).long(), torch.zeros(2, 1).double())",
        "what is put in has to be of the dtype of the tensor that it is put into",
    ),
    "whole numbers in a layer": (
        "tokens = torch.arange(6)\nnn.Linear(6, 6)(tokens)",
        ("both have to be of one dtype, and `tokens` holds no floats: convert it to the dtype of "
        "`nn.Linear(6, 6).weight`"),
    ),
    "two kinds of floats": (
        "x @ x.mT.double()", "and convert scores back with `.to(x.dtype)`",
    ),
    "infinity among whole numbers": (
        'torch.arange(5).masked_fill(seen, float("-inf"))',
        ("the tensor holds whole numbers or booleans, which do not hold this value; make it one of "
        "floats first"),
    ),
    "too much for a half": ("mask.half().masked_fill(seen, -1e9)",
                            "`torch.finfo(scores.dtype).min`"),
    "two masks subtracted": (
        "seen - seen",
        "invert a mask with `~mask`, or turn it into a number first",
    ),
    "Python's max": (
        "max(x, x + 1)", "`torch.maximum` and `torch.minimum` compare entry by entry",
    ),
    "one or another": (
        "seen or x", "`if`, `and`, `or` and `not` want one yes or no, and a tensor has many",
    ),
    "a tuple": ("x.chunk(2) @ x.mT",
                "this is a tuple, not a tensor; unpack it, or take the entry you need"),
    "what topk gives": (
        "x >= x.topk(2)", "`topk` gives values and their indices; take `.values` or `.indices`",
    ),
    "what append gives": (
        "rows = []\nrows = rows.append(x)\nrows.append(x)",
        (f"`append` on line {FIRST + 1} changes what it is called on and gives None; leave out the "
        "assignment"),
    ),
    "what nothing gives": (
        "rows = None\nrows.append(x)",
        "a value is None here; a function that ends without `return` gives None",
    ),
    "a letter of no input": (
        "torch.einsum('bqd,bkd->bqv', x, x)",
        "each letter behind `->` has to stand for an axis of an input, and `v` does not",
    ),
    "a letter too few": (
        "torch.einsum('bqd,bkd->bqk', heads, x)", "a tensor needs a letter for each axis: 4, not 3",
    ),
    "an axis twice": (
        "heads.permute(0, 1, 1, 3)", "`.permute` has to name every axis of the tensor once",
    ),
    "NumPy's word": ("x.sum(dims=-1)", "`dim` was probably meant"),
    "a helper's word": ("def sum(x): return x\nsum(dims=-1)", ""),
    "no axis": ("x.softmax()", "`softmax` needs `dim`"),
    "math on a tensor": ("math.sqrt(x)", "`math.sqrt` takes one number, `torch.sqrt` a tensor"),
    "a tensor of tensors": (
        "torch.tensor([x, x])",
        "`torch.tensor` takes numbers; `torch.stack` puts tensors together",
    ),
    "several in one": ("x.item()", "one number is wanted here, and the tensor holds several"),
    "another width": ("nn.LayerNorm(5)(x)", "the norm is for a last axis of 5, and this one has 6"),
    "whole numbers in place": (
        "count = torch.arange(5)\ncount /= 2",
        "an in-place operation keeps the dtype, and `count` holds no floats; make a new tensor",
    ),
    "a list of layers": (
        "nn.ModuleList([nn.Linear(6, 6)])(x)",
        ("a `ModuleList` holds layers and is not called: go through it, "
        "`for layer in layers: x = layer(x)`"),
    ),
    "a layer overwritten": (
        "made = nn.Sequential()\nmade.first = nn.Linear(6, 6)\nmade.first = made.first(x)",
        "`first` is a layer; give what it makes another name",
    ),
    "classes on the last axis": (
        "F.cross_entropy(x, torch.zeros(2, 5).long())",
        "flatten both, `logits.flatten(0, 1)` and `targets.flatten()`",
    ),
    "backward twice": (
        "loss = (mask.requires_grad_() * 2).exp().sum()\nloss.backward()\nloss.backward()",
        "make the loss anew in each step, and `detach` what is kept from one to the next",
    ),
}  # fmt: skip


def held(said: dict[str, str], words: str) -> bool:
    """Whether what is said ends so, and is said in both languages or in neither."""
    return said["en"].endswith(words) and bool(words) is bool(said["en"]) is bool(said["zh"])


@pytest.mark.parametrize("name", FITTING)
def test_what_does_not_fit_is_told_where_it_holds(told, name):
    """What a refusal of shapes or indices comes of is said, and of a near one what that does."""
    body, words = FITTING[name]
    said = told(body)
    assert held(said, words), said


@pytest.mark.parametrize("name", OTHERS)
def test_another_cause_is_told_where_it_holds(told, name):
    """So is what others come of: dtypes, names, lists, layers, gradients."""
    body, words = OTHERS[name]
    said = told(body)
    assert held(said, words), said


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python says which expression raised")
def test_what_is_put_into_a_place(told):
    """An assignment into a part of a tensor is no `expand`."""
    said = told("kept = x.clone()\nkept[:, 0] = torch.zeros(3)")["en"]
    assert said.endswith("what is put in, (3,), has to broadcast to the place that it is put "
                         "into, (2, 6)")  # fmt: skip


@pytest.mark.parametrize("kind", [torch.int64, torch.uint8, torch.float32, torch.bool])
def test_the_smallest_and_the_largest_are_those_of_whole_numbers(kind):
    """Of floats, of booleans and of what holds nothing no range is told."""
    part = operands._part("place", torch.tensor([3, 1, 7]).to(kind))
    whole = kind in {torch.int64, torch.uint8}
    assert (part.get("least"), part.get("most")) == ((1, 7) if whole else (None, None))
    assert "least" not in operands._part("place", torch.zeros(0, dtype=kind))


def test_a_number_without_end_is_not_sent(told):
    """An index of thousands of digits is left where it is."""
    assert told("[x][10 ** 5000]")["en"] == ""
