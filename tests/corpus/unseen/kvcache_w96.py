import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.d = hidden_dim // num_heads
        self.lin_q = nn.Linear(hidden_dim, hidden_dim)
        self.lin_k = nn.Linear(hidden_dim, hidden_dim)
        self.lin_v = nn.Linear(hidden_dim, hidden_dim)
        self.lin_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        q = self.lin_q(x).view(b, t, self.n, self.d).transpose(1, 2)
        k = self.lin_k(x).view(b, t, self.n, self.d).transpose(1, 2)
        v = self.lin_v(x).view(b, t, self.n, self.d).transpose(1, 2)
        past = 0
        if cache is not None:
            old_k, old_v = cache
            past = old_k.shape[2]
            k = torch.cat((k, old_k), dim=2)
            v = torch.cat((old_v, v), dim=2)
        rows = []
        for i in range(t):
            end = past + i + 1
            s = torch.matmul(q[:, :, i : i + 1], k[:, :, :end].transpose(2, 3)) / self.d**0.5
            rows.append(torch.matmul(torch.softmax(s, dim=-1), v[:, :, :end]))
        y = torch.cat(rows, dim=2).transpose(1, 2).reshape(b, t, c)
        return self.lin_o(y), (k, v)
