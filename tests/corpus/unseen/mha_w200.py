# attn-kata: mha
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """多头自注意力。head 折叠进 batch 维,这样全程只用 bmm (三维),和我们以前的 C++ kernel 对得上。"""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hid = hidden_dim
        self.n_head = num_heads
        self.dk = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def _fold(self, t: Tensor) -> Tensor:
        """(b, t, hid) -> (b * n_head, t, dk)"""
        bsz, tlen, _ = t.shape
        t = t.view(bsz, tlen, self.n_head, self.dk).transpose(1, 2)
        return t.reshape(bsz * self.n_head, tlen, self.dk)

    def _unfold(self, t: Tensor, bsz: int) -> Tensor:
        """(b * n_head, t, dk) -> (b, t, hid)"""
        tlen = t.size(1)
        t = t.view(bsz, self.n_head, tlen, self.dk).transpose(1, 2)
        return t.reshape(bsz, tlen, self.hid)

    def _fold_mask(self, mask: Tensor, bsz: int, tlen: int) -> Tensor:
        """-> (b * n_head, t, t), bool, True = may attend"""
        keep = mask != 0
        while keep.dim() < 4:
            keep = keep.unsqueeze(0)
        keep = keep.expand(bsz, -1, tlen, tlen)
        if keep.size(1) == self.n_head:
            return keep.reshape(bsz * self.n_head, tlen, tlen)
        # 所有 head 共用同一个 mask
        return keep.squeeze(1).repeat(self.n_head, 1, 1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        bsz, tlen, _ = x.shape
        q = self._fold(self.q_proj(x))
        k = self._fold(self.k_proj(x))
        v = self._fold(self.v_proj(x))

        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.dk)
        if attention_mask is not None:
            keep = self._fold_mask(attention_mask, bsz, tlen)
            scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)

        weights = self.drop(torch.softmax(scores, dim=-1))
        return self.o_proj(self._unfold(torch.bmm(weights, v), bsz))
