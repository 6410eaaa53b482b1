import torch
from torch import nn


class LlamaBlock(nn.Module):
    """Two matrices in, two matrices out. proj_1 makes [v | k | q], proj_3 makes [up | gate]."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.hd = hidden_dim // num_heads
        self.sizes = [num_kv_heads, num_kv_heads, num_heads]
        self.proj_1 = nn.Linear(hidden_dim, sum(self.sizes) * self.hd, bias=False)
        self.proj_2 = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj_3 = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.proj_4 = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.norms = nn.Parameter(torch.zeros(hidden_dim, 2))

    def rms(self, x, i):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * (self.norms[:, i] + 1)

    def forward(self, x, cos, sin):
        B, T, E = x.shape
        z = self.proj_1(self.rms(x, 0)).view(B, T, -1, self.hd).transpose(1, 2)
        v, k, q = z.split(self.sizes, dim=1)
        half = self.hd // 2

        def rope(u):
            return torch.cat([u, u], -1)

        def turned(u):
            return torch.cat([-u[..., half:], u[..., :half]], -1)

        q = q * rope(cos) + turned(q) * rope(sin)
        k = k * rope(cos) + turned(k) * rope(sin)
        g = self.sizes[2] // self.sizes[0]
        q = q.unflatten(1, (self.sizes[0], g))
        s = q @ k.unsqueeze(2).mT / self.hd**0.5
        s = s.masked_fill(torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        o = s.softmax(dim=-1) @ v.unsqueeze(2)
        x = x + self.proj_2(o.flatten(1, 2).transpose(1, 2).reshape(B, T, E))
        up, gate = self.proj_3(self.rms(x, 1)).chunk(2, dim=-1)
        return x + self.proj_4(up * gate * torch.sigmoid(gate))
