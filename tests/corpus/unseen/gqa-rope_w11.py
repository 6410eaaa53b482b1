# attn-kata: gqa-rope
import torch
from torch import nn
from einops import rearrange, repeat


def rotary(t, positions, theta=10000.0):
    half = t.shape[-1] // 2
    inv = theta ** -(torch.arange(half, device=t.device, dtype=torch.float32) / half)
    ang = torch.einsum("n,f->nf", positions.float(), inv)
    c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
    lo, hi = t.split(half, dim=-1)
    return torch.cat([lo * c - hi * s, hi * c + lo * s], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.heads, self.kv_heads, self.base = num_heads, num_kv_heads, base
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, num_kv_heads * dim_head * 2, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        n = x.shape[1]
        q = rearrange(self.to_q(x), "b n (h d) -> b h n d", h=self.heads)
        k, v = rearrange(self.to_kv(x), "b n (two h d) -> two b h n d", two=2, h=self.kv_heads)
        start = cache[0].shape[2] if cache else 0
        pos = torch.arange(start, start + n, device=x.device)
        q, k = rotary(q, pos), rotary(k, pos)
        if cache:
            k, v = (torch.cat(pair, dim=2) for pair in zip(cache, (k, v)))
        fan = lambda t: repeat(t, "b g n d -> b (g r) n d", r=self.heads // self.kv_heads)
        sim = torch.einsum("bhid,bhjd->bhij", q, fan(k)) / q.shape[-1] ** 0.5
        j = torch.arange(k.shape[2], device=x.device)
        sim = sim.masked_fill(j > pos[:, None], -torch.inf)
        out = torch.einsum("bhij,bhjd->bhid", sim.softmax(-1), fan(v))
        return self.to_out(rearrange(out, "b h n d -> b n (h d)")), (k, v)
