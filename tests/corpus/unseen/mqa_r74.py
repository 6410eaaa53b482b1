from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.func import vmap


def _attend(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    s = torch.addmm(bias, q, k.T, alpha=k.shape[-1] ** -0.5)
    return s.softmax(-1) @ v


# heads: queries and bias have them, key and value do not
_attend_heads = vmap(_attend, in_dims=(0, None, None, 0))
_attend_batch = vmap(_attend_heads)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, (hidden_dim, num_heads)
        self.num_heads = num_heads
        self.wq = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim**0.5)
        self.wkv = nn.Parameter(torch.randn(2 * hidden_dim // num_heads, hidden_dim) / hidden_dim**0.5)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, _ = x.shape
        q = (x @ self.wq).reshape(b, t, self.num_heads, -1).transpose(1, 2)
        k, v = (x @ self.wkv.T).chunk(2, -1)
        bias = x.new_zeros(b, self.num_heads, t, t)
        if attention_mask is not None:
            bias = bias.masked_fill(attention_mask.eq(0), torch.finfo(x.dtype).min / 2)
        return self.wo(_attend_batch(q, k, v, bias).transpose(1, 2).flatten(2))
