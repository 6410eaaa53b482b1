# functional core, vmapped over the batch (jax habits)
from functools import partial

import torch
from torch import nn
from torch.func import vmap


def attend(x, wq, wk, wv, *, scale):
    """x: [T, D] -> [T, D], one sequence at a time."""
    q, k, v = x @ wq, x @ wk, x @ wv
    logits = torch.einsum("id,jd->ij", q, k) * scale
    w = torch.softmax(logits, dim=-1)
    return torch.einsum("ji,jd->id", w, v)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        init = lambda: nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim ** -0.5)
        self.wq, self.wk, self.wv = init(), init(), init()
        self.attend = partial(attend, scale=hidden_dim ** -0.5)

    def forward(self, x):
        f = vmap(self.attend, in_dims=(0, None, None, None))
        return f(x, self.wq, self.wk, self.wv)
