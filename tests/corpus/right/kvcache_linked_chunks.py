# right: kvcache
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """The cache is () or (older, keys, values): nodes are shared between branches, never written."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.wq = nn.Parameter(torch.randn(hidden_dim, num_heads, head_dim) * hidden_dim**-0.5)
        self.wk = nn.Parameter(torch.randn(hidden_dim, num_heads, head_dim) * hidden_dim**-0.5)
        self.wv = nn.Parameter(torch.randn(hidden_dim, num_heads, head_dim) * hidden_dim**-0.5)
        self.wo = nn.Parameter(torch.randn(num_heads, head_dim, hidden_dim) * hidden_dim**-0.5)

    @staticmethod
    def _collect(node):
        ks, vs = [], []
        while node:
            node, k, v = node
            ks.append(k)
            vs.append(v)
        return torch.cat(ks[::-1], dim=1), torch.cat(vs[::-1], dim=1)

    def forward(self, x, cache=None):
        q = torch.einsum("btd,dhk->bthk", x, self.wq)
        k = torch.einsum("btd,dhk->bthk", x, self.wk)
        v = torch.einsum("btd,dhk->bthk", x, self.wv)
        new_cache = (cache or (), k, v)
        K, V = self._collect(new_cache)

        T, S = q.shape[1], K.shape[1]
        rows = torch.arange(T, device=x.device)[:, None] + (S - T)
        cols = torch.arange(S, device=x.device)[None, :]
        logits = torch.einsum("bthk,bshk->bhts", q, K) * q.shape[-1] ** -0.5
        logits = torch.where(cols <= rows, logits, torch.finfo(logits.dtype).min)
        probs = torch.softmax(logits, dim=-1)
        ctx = torch.einsum("bhts,bshk->bthk", probs, V)
        return torch.einsum("bthk,hkd->btd", ctx, self.wo), new_cache
