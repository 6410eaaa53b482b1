from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Shape:
    embed: int
    heads: int

    @property
    def each(self):
        return self.embed // self.heads


class OneHead(nn.Module):
    def __init__(self, shape: Shape, bias: bool):
        super().__init__()
        self.to_q, self.to_k, self.to_v = (nn.Linear(shape.embed, shape.each, bias=bias) for _ in range(3))
        self.back = nn.Linear(shape.each, shape.embed, bias=False)

    def forward(self, query, key, value, blocked, extra, drop):
        q = self.to_q(query) * self.to_q.out_features ** -0.5
        logits = q @ self.to_k(key).transpose(1, 2) + extra
        logits = logits.masked_fill(blocked, -torch.inf)
        weights = torch.softmax(logits, 2)
        return self.back(drop(weights) @ self.to_v(value)), weights


class MultiheadAttention(nn.Module):
    """A sum over heads: Wo cut into one slice per head is the same as a concatenation."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.shape = Shape(embed_dim, num_heads)
        self.heads = nn.ModuleList(OneHead(self.shape, bias) for _ in range(num_heads))
        self.offset = nn.Parameter(torch.zeros(embed_dim))
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        batch, target, source = query.shape[0], query.shape[1], key.shape[1]
        blocked = torch.zeros(batch, self.shape.heads, target, source, dtype=torch.bool, device=query.device)
        extra = torch.zeros_like(blocked, dtype=query.dtype)
        if key_padding_mask is not None:
            blocked = blocked | key_padding_mask.reshape(batch, 1, 1, source)
        if attn_mask is not None:
            m = attn_mask if attn_mask.ndim == 2 else attn_mask.unflatten(0, (batch, self.shape.heads))
            if m.dtype is torch.bool:
                blocked = blocked | m
            else:
                extra = extra + m
        total, maps = self.offset, []
        for h, head in enumerate(self.heads):
            y, w = head(query, key, value, blocked[:, h], extra[:, h], self.drop)
            total = total + y
            maps.append(w)
        if not need_weights:
            return total, None
        stacked = torch.stack(maps, dim=1)
        return total, stacked.mean(dim=1) if average_attn_weights else stacked
