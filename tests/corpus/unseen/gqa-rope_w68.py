import torch
from torch import einsum, nn


def exists(val):
    return val is not None


def rotate_half(t):
    a, b = t.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def repeat_heads(t, groups):
    # repeat(t, 'b h n d -> b (h g) n d', g = groups)
    b, h, n, d = t.shape
    return t.unsqueeze(1).expand(b, groups, h, n, d).reshape(b, groups * h, n, d)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, theta):
        super().__init__()
        self.dim, self.theta = dim, theta

    def rotate(self, t, offset=0):
        dtype = torch.promote_types(t.dtype, torch.float32)
        seq = torch.arange(offset, offset + t.shape[-2], device=t.device, dtype=dtype)
        inv = 1. / (self.theta ** (torch.arange(0, self.dim, 2, device=t.device, dtype=dtype) / self.dim))
        freqs = einsum('i, j -> i j', seq, inv)
        freqs = torch.cat((freqs, freqs), dim=-1)
        return (t * freqs.cos() + rotate_half(t) * freqs.sin()).type(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.heads, self.kv_heads = num_heads, num_kv_heads
        self.scale = dim_head ** -0.5
        self.rotary = RotaryEmbedding(dim_head, theta=base)
        self.to_q = nn.Linear(hidden_dim, dim_head * num_heads, bias=False)
        self.to_kv = nn.Linear(hidden_dim, dim_head * num_kv_heads * 2, bias=False)
        self.to_out = nn.Linear(dim_head * num_heads, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.to_q(x).reshape(b, n, self.heads, -1).transpose(1, 2)
        k, v = (t.reshape(b, n, self.kv_heads, -1).transpose(1, 2) for t in self.to_kv(x).chunk(2, dim=-1))

        offset = cache[0].shape[-2] if exists(cache) else 0
        q, k = self.rotary.rotate(q, offset), self.rotary.rotate(k, offset)

        if exists(cache):
            ck, cv = cache
            k, v = torch.cat((ck, k), dim=-2), torch.cat((cv, v), dim=-2)
        cached_kv = (k, v)

        groups = self.heads // self.kv_heads
        k, v = repeat_heads(k, groups), repeat_heads(v, groups)

        sim = einsum('b h i d, b h j d -> b h i j', q, k) * self.scale
        i, j = sim.shape[-2:]
        causal_mask = torch.ones((i, j), device=x.device, dtype=torch.bool).triu(j - i + 1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = einsum('b h i j, b h j d -> b h i d', attn, v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1)), cached_kv
