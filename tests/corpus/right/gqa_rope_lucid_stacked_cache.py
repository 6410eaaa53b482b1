# right: gqa-rope
import torch
from torch import nn, einsum

# helpers

def exists(v):
    return v is not None

def default(v, d):
    return v if exists(v) else d

def divisible_by(num, den):
    return (num % den) == 0

# rotary

class RotaryEmbedding(nn.Module):
    def __init__(self, dim, theta = 10000):
        super().__init__()
        self.dim = dim
        self.theta = theta

    def forward(self, seq_len, offset = 0, device = None):
        inv_freq = self.theta ** -(torch.arange(0, self.dim, 2, device = device, dtype = torch.float32) / self.dim)
        t = torch.arange(seq_len, device = device) + offset
        freqs = einsum('i , j -> i j', t.float(), inv_freq)
        return torch.cat((freqs, freqs), dim = -1)

def rotate_half(x):
    x = x.unflatten(-1, (2, -1))
    x1, x2 = x.unbind(dim = -2)
    return torch.cat((-x2, x1), dim = -1)

def apply_rotary_pos_emb(freqs, t):
    dtype = t.dtype
    out = t * freqs.cos() + rotate_half(t) * freqs.sin()
    return out.to(dtype)

# attention

class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self,
        hidden_dim,
        num_heads,
        num_kv_heads,
        base = 10000
    ):
        super().__init__()
        assert divisible_by(num_heads, num_kv_heads)
        dim_head = hidden_dim // num_heads
        self.scale = dim_head ** -0.5
        self.heads, self.kv_heads = num_heads, num_kv_heads

        self.rotary_emb = RotaryEmbedding(dim_head, theta = base)

        self.to_q = nn.Linear(hidden_dim, dim_head * num_heads, bias = False)
        self.to_kv = nn.Linear(hidden_dim, dim_head * num_kv_heads * 2, bias = False)
        self.to_out = nn.Linear(dim_head * num_heads, hidden_dim, bias = False)

    def forward(self, x, cache = None):
        n, device, h, g = x.shape[-2], x.device, self.heads, self.kv_heads

        q = self.to_q(x)
        k, v = self.to_kv(x).chunk(2, dim = -1)

        # b n (g h d) -> b g h n d
        q = q.unflatten(-1, (g, h // g, -1)).permute(0, 2, 3, 1, 4)
        k, v = (t.unflatten(-1, (g, -1)).transpose(1, 2) for t in (k, v))

        q = q * self.scale

        mem = cache['kv'] if exists(cache) else None
        offset = mem.shape[-2] if exists(mem) else 0

        freqs = self.rotary_emb(n, offset = offset, device = device)
        q, k = map(lambda t: apply_rotary_pos_emb(freqs, t), (q, k))

        kv = torch.stack((k, v))
        if exists(mem):
            kv = torch.cat((mem, kv), dim = -2)
        k, v = kv

        sim = einsum('b g h i d, b g j d -> b g h i j', q, k)

        i, j = sim.shape[-2:]
        causal_mask = torch.ones((i, j), dtype = torch.bool, device = device).triu(j - i + 1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)

        attn = sim.softmax(dim = -1)

        out = einsum('b g h i j, b g j d -> b g h i d', attn, v)
        out = out.permute(0, 3, 1, 2, 4).flatten(2)
        return self.to_out(out), dict(kv = kv)
