"""What is said of torch's other refusals: dtypes, names, lists, layers, gradients."""

from __future__ import annotations

import pytest
import torch
from attn_kata.checker.candidate import operands

# Statements, and how what is said ends in English; "" where nothing is told.
OTHERS = {
    "under an if": (
        "if len(x) > 9:\n    hidden = x\nreturn hidden",
        "only line {second} sets `hidden`, and it was not run: it stands under an `if`",
    ),
    "under several": (
        "if len(x) > 9:\n    hidden = x\nelif len(x) > 8:\n    hidden = mask\nreturn hidden",
        "every line that sets `hidden` stands under an `if`, and none of them was run",
    ),
    "in a loop": (
        "for row in []:\n    hidden = row\nreturn hidden",
        "only line {second} sets `hidden`, and it was not run: it stands in a loop",
    ),
    "set later": (
        "kept = hidden + x\nhidden = x",
        "this function sets `hidden` only on line {second}, so that it has no value before",
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
    "no mask compared": (
        "seen = None\nx.masked_fill(seen == 0, -1e9)",
        "as `mask == 0` is where the mask is None; ask `if mask is not None` first",
    ),
    "the largest of nothing": (
        "x[:, :0].amax(dim=1)",
        "the tensor is empty here, and nothing has no largest and no smallest entry",
    ),
    "nothing to train": (
        "torch.optim.SGD(nn.Module().parameters(), lr=0.1)", "put layers in an `nn.ModuleList`",
    ),
    "a letter twice": (
        "torch.einsum('bqd,bkd->bqqk', x, x)", "each letter may stand only once behind `->`",
    ),
    "a size of another making": (
        "x.view(2, 5, 2, 6 * 0.5)", "a size has to be an int, and this is a float",
    ),
    "half a size": (
        "x.view(2, 5, 2, 6 / 2)", "a size has to be an int, and `/` gives a float; write `//`",
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
    "floats for a mask": (
        "x.masked_fill(mask[:, :, None], 0)",
        "compare one of 0 and 1 first, `mask == 0`, and add one of 0 and -inf to the scores",
    ),
    "whole numbers for a mask": (
        "x.masked_fill(mask[:, :, None].long(), 0)",
        "`masked_fill` needs a boolean mask; compare it first, `mask == 0`",
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
        ("`append` on line {second} changes what it is called on and gives None; leave out the "
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
    "a part's misspelt method": (
        "class Part(nn.Module):\n    def foward(self, x):\n        return x\nPart()(x)",
        "line {second} defines `foward`; torch calls `forward`",
    ),
    "a layer overwritten": (
        "made = nn.Sequential()\nmade.first = nn.Linear(6, 6)\nmade.first = made.first(x)",
        "`first` is a layer; give what it makes another name",
    ),
    "two results to a function": (
        "torch.maximum(x, x.max(dim=-1, keepdim=True))",
        "along an axis `max` gives values and their indices; take `.values`, or `amax`",
    ),
    "the same twice": (
        "x.mean(-1, dim=-1)",
        "`mean` is given `dim` twice, by its place and by its name; leave one out",
    ),
    "one entry in many places": (
        "made = x.new_zeros(1).expand(5)\nmade += 1.0",
        "`.clone()` gives each place an entry of its own",
    ),
    "a method kept": (
        "root = x.rsqrt\nx * root",
        "line {first} keeps the method `.rsqrt` itself in `root`; call it: `.rsqrt()`",
    ),
    "too many entries": (
        "pair = (x, x, x)\nq, k = pair",
        "`pair` holds 3 entries here, and 2 names stand on the left",
    ),
    "half of a width": (
        "half = 6 / 2\nx[..., :half]",
        "the `/` on line {first} makes `half` a float; `//` gives an int",
    ),
    "an index from elsewhere": ("half = float('3')\nx[..., :half]", "an index has to be an int"),
    "several axes of one": (
        "torch.cat((x, x[:1, :1]), -1)",
        ("they are joined along axis 2, and axis 0 differs: 2 and 1; `expand` repeats an axis of "
        "size 1"),
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


@pytest.mark.parametrize("name", OTHERS)
def test_a_cause_is_told_where_it_holds(refusal, name):
    """What a refusal comes of is said, and of a near one what that does."""
    statements, words = OTHERS[name]
    said = refusal(statements)
    assert said.ends(words), said


@pytest.mark.parametrize("kind", [torch.int64, torch.uint8, torch.float32, torch.bool])
def test_the_smallest_and_the_largest_are_those_of_whole_numbers(kind):
    """Of floats, of booleans and of what holds nothing no range is told."""
    part = operands._part("place", torch.tensor([3, 1, 7]).to(kind))
    whole = kind in {torch.int64, torch.uint8}
    assert (part.get("least"), part.get("most")) == ((1, 7) if whole else (None, None))
    assert "least" not in operands._part("place", torch.zeros(0, dtype=kind))


def test_a_number_without_end_is_not_sent(refusal):
    """An index of thousands of digits is left where it is."""
    assert refusal("[x][10 ** 5000]")["en"] == ""
