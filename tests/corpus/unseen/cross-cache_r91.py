import torch
import torch.nn as nn


class CachedCrossAttention(nn.Module):
    # one sample has its own number of keys, so the cache is a list with the real rows of each sample only
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.w_q = nn.Parameter(torch.randn(hidden_dim, num_heads, self.d) / hidden_dim ** 0.5)
        self.w_k = nn.Parameter(torch.randn(hidden_dim, num_heads, self.d) / hidden_dim ** 0.5)
        self.w_v = nn.Parameter(torch.randn(hidden_dim, num_heads, self.d) / hidden_dim ** 0.5)
        self.w_o = nn.Parameter(torch.randn(num_heads, self.d, hidden_dim) / hidden_dim ** 0.5)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = []
            for m, n in zip(memory, memory_lengths.tolist()):
                rows = m[: int(n)]
                k = torch.einsum("sc,chd->hsd", rows, self.w_k)
                v = torch.einsum("sc,chd->hsd", rows, self.w_v)
                cache.append((k, v))

        q = torch.einsum("btc,chd->bhtd", x, self.w_q) / self.d ** 0.5
        outs = []
        for qi, (k, v) in zip(q, cache):
            a = torch.softmax(qi @ k.transpose(1, 2), dim=-1)   # (h, t, s)
            outs.append(a @ v)
        y = torch.stack(outs)
        return torch.einsum("bhtd,hdc->btc", y, self.w_o), cache
