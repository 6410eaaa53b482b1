# Everything as log-probabilities; weights = exp(log w). JAX refugee.
from __future__ import annotations
import torch
import torch.nn.functional as F
from torch import nn


def additive(mask, like):
    """bool (True = hide) or float -> float"""
    if mask is None:
        return torch.zeros((), dtype=like.dtype, device=like.device)
    if mask.dtype is torch.bool:
        return torch.zeros_like(mask, dtype=like.dtype).masked_fill(mask, float("-inf"))
    return mask.to(like.dtype)


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.n = num_heads
        self.rate = dropout
        self.i = nn.ModuleDict({k: nn.Linear(embed_dim, embed_dim, bias=bias) for k in "abcz"})

    def _heads(self, which, t):
        return self.i[which](t).unflatten(-1, (self.n, -1)).permute(0, 2, 1, 3)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q, k, v = self._heads("a", query), self._heads("b", key), self._heads("c", value)
        logits = torch.einsum("bhte,bhse->bhts", q * q.shape[-1] ** -0.5, k)
        extra = additive(attn_mask, logits)
        if extra.ndim == 3:
            extra = extra.unflatten(0, (-1, self.n))
        logits = logits + extra
        if key_padding_mask is not None:
            logits = logits + additive(key_padding_mask, logits)[:, None, None]
        logw = F.log_softmax(logits, dim=-1)
        w = logw.exp()
        y = F.dropout(w, self.rate, self.training) @ v
        y = self.i["z"](y.permute(0, 2, 1, 3).flatten(-2))
        if not need_weights:
            return y, None
        return y, w.mean(1) if average_attn_weights else w
