"""haiku/flax accent: one kernel for each kind, DenseGeneral style, einsum letters of T5X."""
from __future__ import annotations
import types
import torch
import torch.nn as nn


def _kernel(*shape, fan_in):
    return nn.Parameter(torch.randn(*shape).mul_(fan_in**-0.5))


class GroupedQueryAttention(nn.Module):
    # D model, N kv heads, G query heads of each, H width of a head, T queries, S keys
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        n, g, h = num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads
        assert n * g == num_heads and g * n * h == hidden_dim
        self.dims = types.SimpleNamespace(N=n, G=g, H=h, D=hidden_dim)
        self.w_q = _kernel(hidden_dim, n, g, h, fan_in=hidden_dim)
        self.w_kv = _kernel(2, hidden_dim, n, h, fan_in=hidden_dim)
        self.w_o = _kernel(n, g, h, hidden_dim, fan_in=hidden_dim)
        self.b_o = nn.Parameter(torch.zeros(hidden_dim))

    def __getattr__(self, name):
        if name in ("N", "G", "H", "D"):
            return getattr(self.dims, name)
        return super().__getattr__(name)

    def _mask(self, mask):
        """-> (B, N or 1, G or 1, T or 1, S)"""
        if mask.size(1) == 1:
            return mask.unsqueeze(2)
        return mask.unflatten(1, (self.N, self.G))

    def forward(self, x, attention_mask=None):
        q = torch.einsum("BTD,DNGH->BNGTH", x, self.w_q)
        k, v = torch.einsum("BSD,cDNH->cBNSH", x, self.w_kv)
        logits = torch.einsum("BNGTH,BNSH->BNGTS", q, k) / self.H**0.5
        if attention_mask is not None:
            logits = torch.where(self._mask(attention_mask) != 0, logits, float("-inf"))
        probs = torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))
        encoded = torch.einsum("BNGTS,BNSH->BTNGH", probs, v)
        return torch.einsum("BTNGH,NGHD->BTD", encoded, self.w_o) + self.b_o
