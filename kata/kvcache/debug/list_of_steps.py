import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.w_q = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_k = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_v = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_o = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for w in self.parameters():
            nn.init.xavier_uniform_(w)

    def forward(self, x, cache=None):
        cache = list(cache or [])
        b, t, e = x.shape
        d = e // self.h
        cache.append((x @ self.w_k, x @ self.w_v))
        k = torch.cat([pair[0] for pair in cache], dim=1).view(b, -1, self.h, d)
        v = torch.cat([pair[1] for pair in cache], dim=1).view(b, -1, self.h, d)
        q = (x @ self.w_q).view(b, t, self.h, d)
        past = k.shape[1] - t
        s = torch.einsum("bihd,bjhd->bhij", q, k) / d**0.5
        ban = torch.ones(t, t, device=x.device).triu(1)
        s = s.masked_fill(F.pad(ban, (past, 0)) == 1, float("-inf"))
        y = torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v)
        return y.reshape(b, t, e) @ self.w_o, cache
