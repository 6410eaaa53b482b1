# right: gqa-rope
# The cache: a list with one (start, key, value) for each call; copied, never appended to.
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, *, hidden_dim, num_heads, num_kv_heads, base):
        super().__init__()
        self.heads, self.kv = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, hidden_dim + 2 * self.kv * self.head_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.inv_freq = [base ** (-2 * i / self.head_dim) for i in range(self.head_dim // 2)]

    def turn(self, x, start):
        where = torch.arange(start, start + x.shape[1], device=x.device, dtype=torch.float64)
        theta = where.view(-1, 1, 1) * torch.tensor(self.inv_freq, dtype=torch.float64, device=x.device)
        x = x.unflatten(-1, (2, -1))
        real, imaginary = x[..., 0, :], x[..., 1, :]
        cos, sin = theta.cos().to(x.dtype), theta.sin().to(x.dtype)
        return torch.stack([real * cos - imaginary * sin, real * sin + imaginary * cos], -2).flatten(-2)

    def forward(self, x, cache=None):
        b, t, width = x.shape
        d = self.head_dim
        q, k, v = self.in_proj(x).tensor_split([width, width + self.kv * d], dim=-1)
        q, k, v = (z.reshape(b, t, -1, d) for z in (q, k, v))
        start = sum(step[1].shape[1] for step in cache) if cache else 0
        cache = [*(cache or ()), (start, self.turn(k, start), v)]
        keys = torch.cat([step[1] for step in cache], dim=1).repeat_interleave(self.heads // self.kv, dim=2)
        values = torch.cat([step[2] for step in cache], dim=1).repeat_interleave(self.heads // self.kv, dim=2)
        q = self.turn(q, start) * d**-0.5
        rows = []
        for i in range(t):
            upto = start + i + 1
            weights = torch.einsum("bhd,bshd->bhs", q[:, i], keys[:, :upto]).softmax(-1)
            rows.append(torch.einsum("bhs,bshd->bhd", weights, values[:, :upto]).reshape(b, width))
        return self.out_proj(torch.stack(rows, dim=1)), cache
