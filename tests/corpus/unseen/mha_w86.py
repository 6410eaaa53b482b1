from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """bmm over a flattened batch * heads axis, as fairseq has it."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        assert self.head_dim * num_heads == hidden_dim, "embed_dim must be divisible by num_heads"
        self.scaling = self.head_dim**-0.5
        self.dropout_p = dropout
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _flat(self, t: Tensor) -> Tensor:
        bsz, tgt_len, _ = t.shape
        t = t.view(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(bsz * self.num_heads, tgt_len, self.head_dim)

    def _flat_mask(self, mask: Tensor, bsz: int, tgt_len: int) -> Tensor:
        if mask.size(1) == 1:
            per_sample = mask[:, 0].expand(bsz, tgt_len, tgt_len)
            return per_sample.repeat(self.num_heads, 1, 1)
        full = mask.expand(bsz, self.num_heads, tgt_len, tgt_len)
        return full.reshape(bsz * self.num_heads, tgt_len, tgt_len)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        bsz, tgt_len, _ = x.shape
        q, k, v = (self._flat(t) for t in self.in_proj(x).chunk(3, dim=-1))
        attn_weights = torch.bmm(q * self.scaling, k.transpose(1, 2))
        if attention_mask is not None:
            keep = self._flat_mask(attention_mask, bsz, tgt_len)
            attn_weights = attn_weights.masked_fill(keep == 0, torch.finfo(x.dtype).min)
        attn_probs = F.softmax(attn_weights, dim=-1)
        attn_probs = F.dropout(attn_probs, p=self.dropout_p, training=self.training)
        attn = torch.bmm(attn_probs, v).view(bsz, self.num_heads, tgt_len, self.head_dim)
        return self.out_proj(attn.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim))
