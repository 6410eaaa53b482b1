# attn-kata: cross
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Encoder-decoder attention. While decoding, the source does not change from step to
    step, so its keys and values are projected once."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.dropout = dropout
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self._static_kv: tuple[Tensor, Tensor] | None = None

    def _heads(self, t: Tensor) -> Tensor:
        bsz, length, _ = t.shape
        return t.view(bsz, length, self.num_heads, self.head_dim).transpose(1, 2)

    def _project_source(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        return self._heads(self.k_proj(key)), self._heads(self.v_proj(value))

    def _source(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        if self.training:
            return self._project_source(key, value)
        saved = self._static_kv
        if saved is None or saved[0].shape[0] != key.shape[0] or saved[0].shape[2] != key.shape[1]:
            self._static_kv = saved = self._project_source(key, value)
        return saved

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self._heads(self.q_proj(query)) * self.head_dim**-0.5
        k, v = self._source(key, value)
        attn_weights = q @ k.transpose(-2, -1)                   # [bsz, heads, tgt, src]
        if mask is not None:
            attn_weights = attn_weights.masked_fill(
                mask.unsqueeze(1) == 0, torch.finfo(attn_weights.dtype).min
            )
        attn_probs = F.softmax(attn_weights, dim=-1)
        attn_probs = F.dropout(attn_probs, p=self.dropout, training=self.training)
        attn = (attn_probs @ v).transpose(1, 2).flatten(2)
        return self.out_proj(attn)
