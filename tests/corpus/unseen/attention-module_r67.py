from __future__ import annotations

import torch
from torch import Tensor, nn


class _Head(nn.Module):
    def __init__(self, embed_dim: int, head_dim: int, bias: bool) -> None:
        super().__init__()
        self.w = nn.ModuleDict({r: nn.Linear(embed_dim, head_dim, bias=bias) for r in ("key", "query", "value")})

    def forward(self, query: Tensor, key: Tensor, value: Tensor, additive: Tensor | None):
        q, k, v = self.w["query"](query), self.w["key"](key), self.w["value"](value)
        logits = torch.bmm(q, k.transpose(1, 2)) * q.size(-1) ** -0.5
        if additive is not None:
            logits = logits + additive
        return logits, v


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        head_dim = embed_dim // num_heads
        self.heads = nn.ModuleList(_Head(embed_dim, head_dim, bias) for _ in range(num_heads))
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    @staticmethod
    def _as_additive(mask: Tensor, like: Tensor) -> Tensor:
        if mask.dtype != torch.bool:
            return mask
        zeros = torch.zeros(mask.shape, dtype=like.dtype, device=mask.device)
        return zeros.masked_fill(mask, float("-inf"))

    def _bias_of_head(self, h: int, attn_mask: Tensor | None, padding: Tensor | None, like: Tensor):
        parts = []
        if attn_mask is not None:
            if attn_mask.dim() == 3:                       # samples outside, heads inside
                attn_mask = attn_mask[h :: self.num_heads]
            parts.append(self._as_additive(attn_mask, like))
        if padding is not None:
            parts.append(self._as_additive(padding, like).unsqueeze(1))
        return sum(parts) if parts else None

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True
    ):
        contexts, maps = [], []
        for h, head in enumerate(self.heads):
            logits, v = head(query, key, value, self._bias_of_head(h, attn_mask, key_padding_mask, query))
            probs = torch.softmax(logits, dim=-1)
            maps.append(probs)
            contexts.append(torch.bmm(self.dropout(probs), v))
        output = self.out(torch.cat(contexts, dim=-1))
        if not need_weights:
            return output, None
        if average_attn_weights:
            return output, sum(maps) / len(maps)
        return output, torch.stack(maps, dim=1)
