from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.func import vmap


class Spec(NamedTuple):
    e: int  # embedding width
    nh: int  # how many heads
    ctx: int  # longest input


def one_head(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, keep: Tensor) -> Tensor:
    """x (B, T, e), the weights (e, d) -> (B, T, d)"""
    q, k, v = x @ wq, x @ wk, x @ wv
    logits = q @ k.mT / wq.shape[-1] ** 0.5
    return torch.where(keep, logits, -torch.inf).softmax(-1) @ v


class CausalSelfAttention(nn.Module):
    def __init__(self, spec: Spec) -> None:
        super().__init__()
        d, rest = divmod(spec.e, spec.nh)
        assert rest == 0, "heads have to divide the width"
        shape = (spec.nh, spec.e, d)
        self.wq = nn.Parameter(torch.randn(shape) / spec.e**0.5)
        self.wk = nn.Parameter(torch.randn(shape) / spec.e**0.5)
        self.wv = nn.Parameter(torch.randn(shape) / spec.e**0.5)
        self.wo = nn.Parameter(torch.randn(spec.nh, d, spec.e) / spec.e**0.5)
        grid = torch.arange(spec.ctx)
        self.register_buffer("keep", grid[:, None] >= grid[None, :], persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        keep = self.keep[:T, :T]
        heads = vmap(one_head, in_dims=(None, 0, 0, 0, None))(x, self.wq, self.wk, self.wv, keep)
        # the sum over heads of (head @ its rows of Wo) is the merge and the projection in one
        return (heads @ self.wo[:, None]).sum(0)
