from __future__ import annotations
import torch
from torch import nn, Tensor


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.scale = 1.0 / hidden_dim ** 0.5
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.attn_dropout = nn.Dropout(p=dropout)

    def _plain(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        attn = torch.softmax(q @ k.transpose(1, 2) * self.scale, dim=2)
        return attn @ v

    def _masked(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        scores = q @ k.transpose(1, 2) * self.scale
        scores = scores.masked_fill(mask.eq(0), torch.finfo(scores.dtype).min)
        attn = torch.softmax(scores, dim=2)
        attn = self.attn_dropout(attn)
        return attn @ v

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.qkv_proj(x).split(x.shape[-1], dim=-1)
        if attention_mask is None:
            ctx = self._plain(q, k, v)
        else:
            ctx = self._masked(q, k, v, attention_mask)
        return self.out_proj(ctx)
