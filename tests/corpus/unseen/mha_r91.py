from __future__ import annotations

import torch
from torch import Tensor, nn


class _Checked(type(nn.Module)):
    """Metaclass: after construction, ask the instance whether it is consistent."""

    def __call__(cls, *args, **kwargs):
        made = super().__call__(*args, **kwargs)
        made.validate()
        return made


class _Row(torch.autograd.Function):
    """softmax over the last axis; backward by hand"""

    @staticmethod
    def forward(ctx, s: Tensor) -> Tensor:
        e = torch.exp(s - s.amax(-1, keepdim=True))
        p = e / e.sum(-1, keepdim=True)
        ctx.save_for_backward(p)
        return p

    @staticmethod
    def backward(ctx, g: Tensor) -> Tensor:
        (p,) = ctx.saved_tensors
        return p * (g - torch.linalg.vecdot(p, g).unsqueeze(-1))


class MultiHeadAttention(nn.Module, metaclass=_Checked):
    """Weights of all four kinds as one embedding table, (4 * hidden_dim, hidden_dim + 1): the last column is the bias."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim, self.num_heads = hidden_dim, num_heads
        self.table = nn.Embedding(4 * hidden_dim, hidden_dim + 1)
        nn.init.normal_(self.table.weight, std=hidden_dim**-0.5)
        self.attn_drop = nn.Dropout(p=dropout)

    def validate(self) -> None:
        assert self.hidden_dim % self.num_heads == 0, "hidden_dim must be a multiple of num_heads"

    def _rows(self, x: Tensor, first: int, last: int) -> Tensor:
        ids = torch.arange(first * self.hidden_dim, last * self.hidden_dim, device=x.device)
        w, b = self.table(ids).tensor_split([self.hidden_dim], dim=1)
        return nn.functional.linear(x, w, b.squeeze(1))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, c = x.shape
        qkv = self._rows(x, 0, 3).contiguous().as_strided(
            (3, b, self.num_heads, t, c // self.num_heads), (c, 3 * c * t, c // self.num_heads, 3 * c, 1)
        )
        q, k, v = qkv
        s = (q * (c // self.num_heads) ** -0.5) @ k.mT
        if attention_mask is not None:
            s = s.masked_fill(attention_mask.logical_not(), torch.finfo(s.dtype).min)
        y = self.attn_drop(_Row.apply(s)) @ v
        return self._rows(y.permute(0, 2, 1, 3).reshape(b, t, c), 3, 4)
