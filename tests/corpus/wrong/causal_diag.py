# wrong: causal causal-excludes-self line 18
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (f(x).view(b, t, self.num_heads, -1).transpose(1, 2) for f in (self.wq, self.wk, self.wv))
        future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(0)
        s = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(future, -1e9)
        return self.wo((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))
