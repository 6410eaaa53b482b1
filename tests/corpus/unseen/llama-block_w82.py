import math
import torch
from torch import nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class MLP(nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.gate_proj = nn.Linear(dim, inner, bias=False)
        self.up_proj = nn.Linear(dim, inner, bias=False)
        self.down_proj = nn.Linear(inner, dim, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x) * self.up_proj(x)))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.n, self.n_kv, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.mlp = MLP(hidden_dim, mlp_dim)
        self.input_layernorm, self.post_attention_layernorm = RMSNorm(hidden_dim), RMSNorm(hidden_dim)

    def self_attn(self, x, cos, sin):
        b, t, c = x.shape
        q = self.q_proj(x).view(b, t, self.n, self.d).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.n_kv, self.d).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.n_kv, self.d).transpose(1, 2)

        def rotate(u):
            lo, hi = u.chunk(2, dim=-1)
            return torch.cat([lo * cos - hi * sin, hi * cos + lo * sin], dim=-1)

        q, k = rotate(q), rotate(k)
        k = k.repeat_interleave(self.n // self.n_kv, dim=1)
        v = v.repeat_interleave(self.n // self.n_kv, dim=1)
        w = q @ k.transpose(2, 3) / math.sqrt(self.d)
        w = w + torch.full((t, t), -math.inf, device=x.device, dtype=w.dtype).triu(1)
        return self.o_proj((w.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))

    def forward(self, x, cos, sin):
        h = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return h + self.mlp(self.post_attention_layernorm(h))
