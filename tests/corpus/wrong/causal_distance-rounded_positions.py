# wrong: causal distance-rounded line 24
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.max_len = block_size
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        return t.reshape(*t.shape[:2], self.h, self.d).transpose(1, 2)

    def forward(self, x):
        n = x.shape[1]
        k, v = self.to_kv(x).chunk(2, dim=-1)
        q, k, v = self.split(self.to_q(x)), self.split(k), self.split(v)
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * self.d ** -0.5
        idx = torch.arange(n).to(x)  # same dtype and device as x
        ok = idx[None, :] <= idx[:, None]
        sim = sim.masked_fill(~ok, -torch.finfo(sim.dtype).max)
        out = sim.softmax(dim=-1) @ v
        return self.to_out(out.transpose(1, 2).flatten(2))
