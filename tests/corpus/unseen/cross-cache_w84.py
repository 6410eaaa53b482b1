import math
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wkv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, memory, memory_lengths, cache=None):
        b, t, c = x.shape
        q = self.wq(x).reshape(b, t, self.n, self.d).permute(0, 2, 1, 3)
        if cache is None:
            s = memory.shape[1]
            kv = self.wkv(memory).reshape(b, s, 2, self.n, self.d).permute(2, 0, 3, 1, 4)
            hidden = torch.arange(s, device=x.device).expand(b, s) >= memory_lengths.reshape(b, 1)
            cache = {"k": kv[0], "v": kv[1]}
        score = torch.matmul(q, cache["k"].transpose(2, 3)) / math.sqrt(self.d)
        score = score.masked_fill(hidden[:, None, None, :], -math.inf)
        y = torch.matmul(score.softmax(-1), cache["v"])
        return self.wo(y.permute(0, 2, 1, 3).reshape(b, t, c)), cache
