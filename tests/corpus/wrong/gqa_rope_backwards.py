# wrong: gqa-rope rope-turned-backwards line 13
# fair: rope-turned-backwards 9 38
import torch
import torch.nn as nn


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((x2, -x1), dim=-1)


def apply_rope(x, cos, sin):
    return x * cos + rotate_half(x) * sin


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, n, _ = x.shape
        q = self.q_proj(x).view(bsz, n, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(bsz, n, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, n, self.num_kv_heads, self.head_dim).transpose(1, 2)
        m = 0 if cache is None else cache[0].shape[2]
        inv = 1.0 / (self.base ** (torch.arange(0, self.head_dim, 2, device=x.device).float() / self.head_dim))
        ang = torch.einsum("i,j->ij", torch.arange(m, m + n, device=x.device).float(), inv)
        emb = torch.cat((ang, ang), dim=-1)
        cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
        q, k = apply_rope(q, cos, sin), apply_rope(k, cos, sin)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        cache = (k, v)
        g = self.num_heads // self.num_kv_heads
        k = k[:, :, None].expand(-1, -1, g, -1, -1).reshape(bsz, self.num_heads, m + n, self.head_dim)
        v = v[:, :, None].expand(-1, -1, g, -1, -1).reshape(bsz, self.num_heads, m + n, self.head_dim)
        w = q @ k.transpose(2, 3) / self.head_dim**0.5
        w = w.masked_fill(torch.triu(torch.ones(n, m + n, device=x.device, dtype=torch.bool), m + 1), float("-inf"))
        return self.o_proj((w.softmax(-1) @ v).transpose(1, 2).reshape(bsz, n, -1)), cache
