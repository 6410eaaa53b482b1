import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """No mask at all: query t is only ever multiplied with keys 0..t."""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.n_head = num_heads
        self.size = hidden_dim // num_heads
        self.block_size = block_size
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def heads(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_head, self.size)

    def row(self, q_t, keys, values):
        # q_t (B, H, D), keys and values (B, t+1, H, D)
        logits = torch.einsum("bhd,bshd->bhs", q_t, keys) / self.size**0.5
        w = torch.softmax(logits, dim=1)
        return torch.einsum("bhs,bshd->bhd", w, values)

    def forward(self, x):
        B, T, C = x.shape
        assert T <= self.block_size
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        rows = [self.row(q[:, t], k[:, : t + 1], v[:, : t + 1]) for t in range(T)]
        return self.o(torch.stack(rows, dim=1).reshape(B, T, C))
