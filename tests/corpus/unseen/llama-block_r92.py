import torch
import torch.nn.functional as F
from torch import nn


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.G, self.R, self.D = num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads
        self.norms = nn.ModuleList(nn.RMSNorm(hidden_dim, eps=1e-5) for _ in range(2))
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.D, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.w_down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    @staticmethod
    def rope(t, cos, sin):  # t: (b, ..., length, D)
        a, b = t.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def attn(self, u, cos, sin):
        B, T, C = u.shape
        qkv = self.wqkv(u).view(B, T, -1, self.D).transpose(1, 2)
        q, k, v = qkv.split((self.G * self.R, self.G, self.G), dim=1)
        q = self.rope(q, cos, sin).reshape(B, self.G, self.R, T, self.D)
        k = self.rope(k, cos, sin).unsqueeze(2)
        s = q @ k.mT * self.D**-0.5
        s = s + torch.full((T, T), float("-inf"), dtype=s.dtype, device=s.device).triu(1)
        y = (s.softmax(-1) @ v.unsqueeze(2)).flatten(1, 2)
        return self.wo(y.transpose(1, 2).reshape(B, T, C))

    def mlp(self, u):
        gate, up = self.w_gate_up(u).chunk(2, dim=-1)
        return self.w_down(F.silu(gate) * up)

    def forward(self, x, cos, sin):
        cos, sin = cos.to(x.dtype), sin.to(x.dtype)
        h = x + self.attn(self.norms[0](x), cos, sin)
        return h + self.mlp(self.norms[1](h))
