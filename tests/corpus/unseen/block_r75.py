import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, hidden_dim, size):
        super().__init__()
        self.q = nn.Linear(hidden_dim, size)
        self.k = nn.Linear(hidden_dim, size)
        self.v = nn.Linear(hidden_dim, size)
        self.size = size

    def forward(self, h):
        q, k, v = self.q(h), self.k(h), self.v(h)
        T = h.size(1)
        result = []
        for t in range(T):
            # position t looks at 0..t
            s = torch.bmm(k[:, : t + 1], q[:, t].unsqueeze(2)).squeeze(2) / self.size**0.5
            p = torch.softmax(s, dim=1)
            result.append(torch.bmm(p.unsqueeze(1), v[:, : t + 1]))
        return torch.cat(result, dim=1)


class TransformerBlock(nn.Module):
    """Per-head modules, a loop over time, and the MLP as 1x1 convolutions."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads)])
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.norms = nn.ModuleList([nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim, bias=False)])
        self.c1 = nn.Conv1d(hidden_dim, 4 * hidden_dim, 1)
        self.c2 = nn.Conv1d(4 * hidden_dim, hidden_dim, 1)

    def forward(self, x):
        residual = x
        h = self.norms[0](x)
        h = self.out(torch.cat([head(h) for head in self.heads], dim=-1))
        x = residual + h
        residual = x
        h = self.norms[1](x).transpose(1, 2)
        h = self.c2(nn.functional.gelu(self.c1(h))).transpose(1, 2)
        return residual + h
