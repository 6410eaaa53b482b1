import torch
import torch.nn.functional as F
from einops import rearrange, repeat
from torch import einsum, nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.scale, self.eps = dim**0.5, eps
        self.g = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return F.normalize(x, dim=-1, eps=self.eps) * self.scale * self.g


class SwiGLU(nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.proj_in = nn.Linear(dim, inner * 2, bias=False)
        self.proj_out = nn.Linear(inner, dim, bias=False)

    def forward(self, x):
        gate, up = self.proj_in(x).chunk(2, dim=-1)
        return self.proj_out(F.silu(gate) * up)


def rotate(t, cos, sin):
    a, b = rearrange(t, "... (two d) -> two ... d", two=2)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class GQA(nn.Module):
    def __init__(self, dim, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads, self.dim_head = heads, kv_heads, dim // heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * kv_heads * self.dim_head, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x, cos, sin):
        q = rearrange(self.to_q(x), "b n (h d) -> b h n d", h=self.heads)
        k, v = rearrange(self.to_kv(x), "b n (kv h d) -> kv b h n d", kv=2, h=self.kv_heads)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        k, v = (repeat(t, "b h n d -> b (h g) n d", g=self.heads // self.kv_heads) for t in (k, v))
        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.dim_head**-0.5
        i, j = sim.shape[-2:]
        sim = sim.masked_fill(torch.ones(i, j, device=x.device, dtype=torch.bool).triu(1), -torch.finfo(sim.dtype).max)
        out = einsum("b h i j, b h j d -> b h i d", sim.softmax(dim=-1), v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.attn_norm, self.ff_norm = RMSNorm(hidden_dim), RMSNorm(hidden_dim)
        self.attn = GQA(hidden_dim, num_heads, num_kv_heads)
        self.ff = SwiGLU(hidden_dim, mlp_dim)

    def forward(self, x, cos, sin):
        x = self.attn(self.attn_norm(x), cos, sin) + x
        return self.ff(self.ff_norm(x)) + x
