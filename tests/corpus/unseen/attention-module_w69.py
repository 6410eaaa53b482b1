from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        assert embed_dim % num_heads == 0
        self.E, self.H, self.D = embed_dim, num_heads, embed_dim // num_heads
        self.RSQRT = self.D**-0.5
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(embed_dim, embed_dim, bias) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def _heads(self, t: Tensor) -> Tensor:
        B, N, E = t.shape
        assert E == self.E
        return t.view(B, N, self.H, self.D).permute(0, 2, 1, 3)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        B, T, E = query.shape
        S = key.shape[1]
        H = self.H
        assert key.shape == value.shape == (B, S, E)

        q, k, v = self._heads(self.wq(query)), self._heads(self.wk(key)), self._heads(self.wv(value))
        s = torch.matmul(q * self.RSQRT, k.mT)              # [B, H, T, S]

        if attn_mask is not None:
            m = attn_mask
            if m.ndim == 3:
                assert m.shape == (B * H, T, S)
                m = m.view(H, B, T, S).transpose(0, 1)
            else:
                assert m.shape == (T, S)
            s = s.masked_fill(m, -torch.inf) if m.dtype is torch.bool else s + m
        if key_padding_mask is not None:
            assert key_padding_mask.shape == (B, S)
            s = s.masked_fill(key_padding_mask.reshape(B, 1, 1, S), -torch.inf)

        p = s.softmax(3)
        y = torch.matmul(self.drop(p), v)                   # [B, H, T, D]
        y = self.wo(y.permute(0, 2, 1, 3).reshape(B, T, E))
        if not need_weights:
            return y, None
        return y, (p.mean(1) if average_attn_weights else p)
