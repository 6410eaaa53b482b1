import torch
import torch.nn.functional as F
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, n, c = x.shape
        if cache is None and n == 1:
            # a single position attends to itself with weight 1
            return self.proj(self.value(x)), cache

        q, k, v = (f(x).view(b, n, self.h, self.d).transpose(1, 2)
                   for f in (self.query, self.key, self.value))
        past = 0
        if cache is not None:
            past = cache[0].shape[2]
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)

        logits = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.d ** -0.5
        ahead = torch.ones(n, past + n, dtype=torch.bool, device=x.device).triu(past + 1)
        weights = F.softmax(logits.masked_fill(ahead, float("-inf")), dim=-1)
        y = torch.einsum("bhqk,bhkd->bqhd", weights, v).reshape(b, n, c)
        return self.proj(y), (k, v)
