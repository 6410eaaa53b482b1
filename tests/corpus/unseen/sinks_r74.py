# After the fact: plain attention, then every head's row shrinks by sigmoid(lse - sink).
import math

import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H = num_heads
        self.inner = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("key", "query", "value")})
        self.silence = nn.Parameter(torch.randn(1, num_heads, 1, 1))
        self.outer = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, name, x):
        B, T, C = x.shape
        return self.inner[name](x).view(B, T, self.H, C // self.H).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self.heads(n, x) for n in ("query", "key", "value"))
        s = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.size(-1))
        T = s.size(-1)
        s = s.masked_fill(~torch.ones(T, T, dtype=torch.bool, device=x.device).tril(), -math.inf)
        s = s.to(torch.promote_types(s.dtype, torch.float32))
        lse = s.logsumexp(-1, keepdim=True)
        y = ((s - lse).exp() * torch.sigmoid(lse - self.silence)).to(v.dtype) @ v
        return self.outer(y.transpose(1, 2).flatten(2))
