# attn-kata: causal
# Haiku brain: per-head kernels with a leading head axis, one head written down, vmap over the rest.
from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.func import vmap


def init_kernel(*shape: int, fan_in: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape) * fan_in**-0.5)


def one_head(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor) -> Tensor:
    """x [T, D], wq/wk/wv [D, K], wo [K, D] -> this head's share of the output, [T, D]"""
    pos = torch.arange(x.shape[0], device=x.device)
    visible = pos[:, None] >= pos[None, :]
    logits = (x @ wq) @ (x @ wk).T / wq.shape[-1] ** 0.5
    logits = torch.where(visible, logits, -torch.inf)
    return torch.softmax(logits, -1) @ (x @ wv) @ wo


heads = vmap(one_head, in_dims=(None, 0, 0, 0, 0))     # -> [H, T, D]
batch = vmap(heads, in_dims=(0, None, None, None, None))  # -> [B, H, T, D]


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        head_dim, rest = divmod(hidden_dim, num_heads)
        if rest:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.block_size = block_size
        shape = (num_heads, hidden_dim, head_dim)
        self.w_q = init_kernel(*shape, fan_in=hidden_dim)
        self.w_k = init_kernel(*shape, fan_in=hidden_dim)
        self.w_v = init_kernel(*shape, fan_in=hidden_dim)
        self.w_o = init_kernel(num_heads, head_dim, hidden_dim, fan_in=hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        assert x.shape[-2] <= self.block_size
        # concat + output projection is a sum of per-head projections
        return batch(x, self.w_q, self.w_k, self.w_v, self.w_o).sum(dim=1)
