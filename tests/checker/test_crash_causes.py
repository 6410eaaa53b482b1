"""Of each cause: what raises it is told so, and what is nearest to it is not."""

from __future__ import annotations

import pytest

OWN = (
    "class Own(nn.Module):\n    def __init__(self):\n{first}        self.a = nn.Linear(2, 2)\nOwn()"
)
ATTEND = "F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(5, 5).{kind}())"

# The sentence, statements that provoke it, and the nearest of which it would be untrue.
CAUSES = {
    "crash-view": ("heads.transpose(1, 2).view(2, 5, 12)", "heads.view(2, 5, 13)"),
    "crash-linear": ("nn.Sequential(nn.Linear(4, 4))(x)", "torch.bmm(x, x)"),
    "crash-invert": ("[*map(torch.Tensor.__invert__, [mask])]", "~mask"),
    "crash-fill-value": ("x.masked_fill(seen[:, :, None], mask)", "x.masked_fill(seen, 0.0)"),
    "crash-truth": ("if mask:\n    pass", "if x:\n    pass"),
    "crash-call": ("x.mT()", "x.shape()"),
    "crash-argument": (
        "def add(a, b):\n    return a\nadd(x)", "def add(a):\n    return a\nadd(b=x)",
    ),
    "crash-none": ("mask = None\nmask + x", "hidden = None\nhidden + x"),
    "crash-super": (
        OWN.format(first=""), OWN.format(first="        super().__init__(1, 2)\n"),
    ),
    "crash-t": ("x.t()", "x.mT(0)"),
    "crash-target-plain": ("x[:1] += torch.rand(2, 5, 6)", "x[0] += torch.rand(7, 6)"),
    "crash-einsum": (
        'torch.einsum("ij,jk->ik", mask, mask)', 'torch.einsum("ij,kj->ik", mask, mask)',
    ),
    "crash-numpy": (
        "import numpy\nnumpy.exp(x.requires_grad_())",
        "import numpy\nx[:, : numpy.sum([1, 2])] + x",
    ),
    "crash-recursion": ("def again():\n    return again()\nagain()", "raise RecursionError('own')"),
    "crash-matrix": ("torch.mm(x, x)", "torch.mm(mask, mask)"),
    "crash-brackets": ("x.shape()", "x.size()"),
    "crash-uncalled": ("getattr(x, 'mean') + 1", "x.mean + 1"),
    "crash-one-list": ("torch.cat(x, -1)", "torch.cat([x, mask])"),
    "crash-infer": ("x.view(-1, -1)", "x.view(-1, 7)"),
    "crash-dot": ("torch.dot(x, x)", "torch.dot(x[0, 0], mask[0])"),
    "self-class": (
        "class Own:\n    def give(self):\n        return 1\nOwn.give()",
        "class Own:\n    def give(self, a):\n        return 1\nOwn().give()",
    ),
    "self-static": (
        "class Own:\n    @staticmethod\n    def give(self, a):\n        return a\nOwn().give(x)",
        "class Own:\n    @staticmethod\n    def give(a, b):\n        return a\nOwn().give(x)",
    ),
    "self-outside": ("self.q(x)", "own.q(x)"),
    "crash-repeat": ("x.repeat(2)", "x.repeat(2, 1, 1) + x"),
    "crash-stack": ("torch.stack((x, heads))", "torch.cat((x, heads))"),
    "crash-not-for": ("seen.softmax(-1)", "seen - seen"),
    "crash-long": ("F.cross_entropy(x[0], mask[0])", "F.cross_entropy(x[0], mask[0].long()[:4])"),
    "crash-cast": ("x.long().add_(0.5)", "x.add_(torch.rand(7))"),
    "crash-where": ("torch.where(mask, mask, mask)", "torch.where(seen, mask, x)"),
    "crash-attn-mask": (ATTEND.format(kind="long"), ATTEND.format(kind="bool")),
    "crash-index-tensor": ("list(range(mask))", "list(range(2.5))"),
    "crash-range-one": ("x[torch.tensor([9])]", "x[torch.tensor([9, 1])]"),
    "crash-indices": ("mask[0, 0, 0]", "mask[0, 9]"),
    "crash-finfo": ("torch.finfo(x)", "torch.finfo(torch.int64)"),
    "crash-maximum": ("torch.maximum(x, 0.0)", "torch.maximum(x, mask)"),
    "crash-einsum-inputs": (
        'torch.einsum("bij,bjk->bik", x)', 'torch.einsum("bij,bjk->bik", x, mask)',
    ),
    "crash-no-keyword": ("x.masked_fill(x > 0, number=1)", "torch.sum(x, dims=1)"),
    "crash-no-forward": (
        "class Own(nn.Module):\n    pass\nOwn()(x)", "nn.ModuleList()(x)",
    ),
    "crash-parameter-set": (
        "layer = nn.Linear(2, 2)\nlayer.weight = x",
        "layer = nn.Sequential(nn.ReLU())\nlayer[0] = x",
    ),
    "crash-parameter-floats": ("nn.Parameter(x.long())", "nn.Parameter(2)"),
    "crash-no-gradient": ("x.sum().backward()", "x.requires_grad_().exp().backward()"),
    "crash-backward-many": ("x.requires_grad_().exp().backward()", "x.sum().backward()"),
    "crash-bitwise": ("[*map(torch.Tensor.__and__, [mask], [mask])]", "mask & mask"),
    "crash-index-float-plain": ("x[torch.rand(2), mask]", "x[torch.rand(2)]"),
    "crash-axis": ("mask.softmax(2)", "mask.softmax(1)"),
}  # fmt: skip


@pytest.mark.parametrize("key", CAUSES)
def test_said_where_it_holds(refusal, key):
    """The cause itself, behind the shapes where there are any."""
    said = refusal(CAUSES[key][0])
    assert key in said.keys_said, said


@pytest.mark.parametrize("key", CAUSES)
def test_not_said_of_what_is_nearest(refusal, key):
    """It runs, or raises for another reason."""
    assert key not in refusal(CAUSES[key][1], raises=False).keys_said
