from __future__ import annotations
import torch
import torch.nn as nn


class Group(nn.Module):
    """One key/value head and the query heads that read it."""

    def __init__(self, width: int, d: int, readers: int):
        super().__init__()
        self.key = nn.Linear(width, d)
        self.value = nn.Linear(width, d)
        self.readers = nn.ModuleList([nn.Linear(width, d) for _ in range(readers)])
        self.out = nn.Parameter(torch.randn(readers * d, width) / width ** 0.5)
        self.d = d

    def forward(self, x, allowed):
        k, v = self.key(x), self.value(x)
        contexts = []
        for i, reader in enumerate(self.readers):
            logits = torch.einsum("bqd,bkd->bqk", reader(x), k).div_(self.d ** 0.5)
            if allowed is not None:
                a = allowed if allowed.shape[1] == 1 else allowed[:, i : i + 1]
                logits = logits.masked_fill(a[:, 0] == 0, torch.finfo(logits.dtype).min)
            contexts.append(logits.softmax(-1) @ v)
        return torch.cat(contexts, -1) @ self.out


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.per = num_heads // num_kv_heads
        self.groups = nn.ModuleList([Group(hidden_dim, d, self.per) for _ in range(num_kv_heads)])
        self.shift = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x, attention_mask=None):
        out = self.shift.expand_as(x)
        for g, group in enumerate(self.groups):
            m = attention_mask
            if m is not None and m.shape[1] > 1:
                m = m[:, g * self.per : (g + 1) * self.per]
            out = out + group(x, m)
        return out
