# attn-kata: block
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    def __init__(self, hid: int, n_head: int) -> None:
        super().__init__()
        self.n_head = n_head
        self.dk = hid // n_head
        self.qkv_proj = nn.Linear(hid, 3 * hid)
        self.out_proj = nn.Linear(hid, hid)

    def _heads(self, t: Tensor) -> Tensor:
        bsz, tlen, _ = t.shape
        return t.reshape(bsz, tlen, self.n_head, self.dk).permute(0, 2, 1, 3)

    def forward(self, h: Tensor) -> Tensor:
        bsz, tlen, hid = h.shape
        q, k, v = (self._heads(t) for t in self.qkv_proj(h).split(hid, dim=-1))
        att = q @ k.transpose(-2, -1) / math.sqrt(self.dk)
        seen = torch.ones(tlen, tlen, dtype=torch.bool, device=h.device).tril()
        att = att.masked_fill(~seen, float("-inf")).softmax(dim=-1)
        return self.out_proj((att @ v).permute(0, 2, 1, 3).reshape(bsz, tlen, hid))


class FeedForward(nn.Module):
    RATIO = 4

    def __init__(self, hid: int) -> None:
        super().__init__()
        self.up = nn.Linear(hid, self.RATIO * hid)
        self.act = nn.GELU()
        self.down = nn.Linear(self.RATIO * hid, hid)

    def forward(self, h: Tensor) -> Tensor:
        return self.down(self.act(self.up(h)))


class TransformerBlock(nn.Module):
    """Pre-norm block; 两个子层用循环跑,norms[i] 对应 sublayers[i]。"""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.sublayers = nn.ModuleList(
            [CausalAttention(hidden_dim, num_heads), FeedForward(hidden_dim)]
        )
        self.norms = nn.ModuleList([nn.LayerNorm(hidden_dim)] * len(self.sublayers))

    def forward(self, x: Tensor) -> Tensor:
        for norm, sublayer in zip(self.norms, self.sublayers):
            x = x + sublayer(norm(x))
        return x
