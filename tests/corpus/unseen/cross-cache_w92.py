import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.nh, self.hs = num_heads, hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, memory, memory_lengths, cache=None):
        B, T, C = x.shape
        S = memory.shape[1]

        if cache is None:
            keep = torch.arange(S, device=x.device)[None] < memory_lengths.to(x.device)[:, None]
            cache = {"k": self.wk(memory), "v": self.wv(memory), "keep": keep}

        q = self.wq(x).view(B, T, self.nh, self.hs).transpose(1, 2)
        k = cache["k"].view(B, S, self.nh, self.hs).transpose(1, 2)
        v = cache["v"].view(B, S, self.nh, self.hs).transpose(1, 2)

        w = q @ k.transpose(-1, -2) * self.hs**-0.5
        w = w.masked_fill(cache["keep"].logical_not()[:, None, None, :], float("-inf"))
        w = F.softmax(w, dim=-1)
        y = (w @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.wo(y), cache
