import torch
import torch.nn as nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def heads(self, t):
        return t.unflatten(-1, (self.nh, self.hd)).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.heads(self.Wq(x)), self.heads(self.Wk(x)), self.heads(self.Wv(x))
        n = x.size(1)
        causal = torch.ones(n, n, device=x.device).tril().bool()
        s = torch.einsum("bhid,bhjd->bhij", q, k) / self.hd**0.5
        s = s.masked_fill(~causal, float("-inf"))
        sink = self.sinks.view(1, self.nh, 1, 1)
        e = torch.exp(s)
        denom = e.sum(dim=-1, keepdim=True) + torch.exp(sink)
        a = e / denom
        o = torch.einsum("bhij,bhjd->bihd", a, v)
        return self.Wo(o.flatten(2))
