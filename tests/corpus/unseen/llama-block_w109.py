import torch
import torch.nn.functional as F
from torch import nn


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.H, self.G, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.d, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.norms = nn.ModuleList([nn.RMSNorm(hidden_dim, eps=1e-5) for _ in range(2)])

    def attn(self, u, cos, sin):
        parts = self.qkv(u).unflatten(-1, (-1, self.d)).transpose(1, 2)      # b, H+2G, t, d
        qk, v = parts.split([self.H + self.G, self.G], dim=1)
        a, b = qk.chunk(2, dim=-1)
        qk = torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(v.dtype)
        q, k = qk.split([self.H, self.G], dim=1)
        q = q.unflatten(1, (self.G, -1))                                     # b, G, g, t, d
        s = torch.einsum("bGgtd,bGsd->bGgts", q, k) / self.d ** 0.5
        t = torch.arange(u.shape[1], device=u.device)
        w = s.masked_fill(t[:, None] < t, float("-inf")).softmax(-1)
        return self.out(torch.einsum("bGgts,bGsd->btGgd", w, v).flatten(2))

    def mlp(self, u):
        gate, up = self.gate_up(u).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

    def forward(self, x, cos, sin):
        x += self.attn(self.norms[0](x), cos, sin)
        return x + self.mlp(self.norms[1](x))
