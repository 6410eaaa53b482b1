import torch
from torch import nn


class GemmaNorm(nn.Module):
    """RMSNorm that stores its gain less 1."""

    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.delta = nn.Parameter(torch.zeros(width))

    def forward(self, u):
        wide = u if u.dtype == torch.float64 else u.float()
        wide = wide / torch.sqrt((wide * wide).mean(-1, keepdim=True) + self.eps)
        return (wide * (1.0 + self.delta.to(wide.dtype))).to(u.dtype)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.dh = hidden_dim // num_heads
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.norm_q, self.norm_k = GemmaNorm(self.dh), GemmaNorm(self.dh)

    def forward(self, x):
        t = x.shape[1]
        q, k, v = (p.unflatten(-1, (self.n, self.dh)) for p in self.to_qkv(x).chunk(3, dim=-1))
        q, k = self.norm_q(q), self.norm_k(k)
        sim = torch.einsum("bihd,bjhd->bhij", q, k) * self.dh ** -0.5
        future = torch.ones((t, t), dtype=torch.bool, device=x.device).triu(1)
        attn = sim.masked_fill(future, -torch.finfo(sim.dtype).max).softmax(dim=-1)
        return self.to_out(torch.einsum("bhij,bjhd->bihd", attn, v).flatten(2))
