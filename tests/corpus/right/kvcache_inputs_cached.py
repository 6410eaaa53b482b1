# right: kvcache
# Wasteful, yet right: the inputs are cached and projected again.
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        seen = x if cache is None else torch.cat([cache, x], dim=1)
        new, total = x.size(1), seen.size(1)

        def split(t):
            return t.reshape(t.size(0), t.size(1), self.num_heads, self.head_dim).permute(0, 2, 1, 3)

        q, k, v = split(self.query(x)), split(self.key(seen)), split(self.value(seen))
        logits = q.matmul(k.transpose(-1, -2)).div(self.head_dim**0.5)
        allowed = torch.tril(torch.ones(new, total, device=x.device), diagonal=total - new)
        logits = logits.masked_fill(allowed == 0, torch.finfo(logits.dtype).min)
        result = logits.softmax(-1).matmul(v)
        return self.output(result.permute(0, 2, 1, 3).flatten(2)), seen
