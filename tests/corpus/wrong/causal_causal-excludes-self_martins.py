# wrong: causal causal-excludes-self line 18
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.shape
        pos = torch.arange(T, device=x.device)
        allow = pos[:, None] > pos[None, :]
        q, k, v = (f(x).view(B, T, self.h, C // self.h).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = torch.einsum("bhid,bhjd->bhij", q, k) / (C // self.h) ** 0.5
        # a primeira linha fica toda mascarada; usa um valor finito
        s = torch.where(allow, s, torch.full_like(s, -1e4))
        return self.o(torch.einsum("bhij,bhjd->bihd", s.softmax(-1), v).reshape(B, T, C))
