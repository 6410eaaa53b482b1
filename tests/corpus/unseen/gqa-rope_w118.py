import torch
from torch import nn, einsum


# helpers

def exists(v):
    return v is not None

def default(v, d):
    return v if exists(v) else d


# rotary

class RotaryEmbedding(nn.Module):
    def __init__(self, dim, theta = 10000):
        super().__init__()
        self.dim = dim
        self.theta = theta

    def forward(self, start, end, device):
        t = torch.arange(start, end, device = device).double()
        inv_freq = self.theta ** -(torch.arange(0, self.dim, 2, device = device).double() / self.dim)
        return einsum('i, j -> i j', t, inv_freq)

def rotate(t, freqs):
    cos, sin = freqs.cos().to(t.dtype), freqs.sin().to(t.dtype)
    x, y = t[..., 0::2], t[..., 1::2]
    return torch.stack((x * cos - y * sin, y * cos + x * sin), dim = -1).flatten(-2)


# attention

class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base = 10000):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.groups = num_heads // num_kv_heads
        self.kv_heads = num_kv_heads
        self.scale = dim_head ** -0.5

        self.rotary = RotaryEmbedding(dim_head, theta = base)

        self.to_q = nn.Linear(hidden_dim, dim_head * num_heads, bias = False)
        self.to_kv = nn.Linear(hidden_dim, dim_head * num_kv_heads * 2, bias = False)
        self.to_out = nn.Linear(dim_head * num_heads, hidden_dim, bias = False)

    def forward(self, x, cache = None):
        n, device = x.shape[1], x.device

        # b n (h g d) -> b h g n d

        q = self.to_q(x).unflatten(-1, (self.kv_heads, self.groups, -1)).permute(0, 2, 3, 1, 4)
        k, v = (t.unflatten(-1, (self.kv_heads, -1)).transpose(1, 2) for t in self.to_kv(x).chunk(2, dim = -1))

        ck, cv = default(cache, (k[:, :, :0], v[:, :, :0]))
        offset = ck.shape[-2]

        freqs = self.rotary(offset, offset + n, device)
        q, k = rotate(q, freqs), rotate(k, freqs)

        k = torch.cat((ck, k), dim = -2)
        v = torch.cat((cv, v), dim = -2)

        sim = einsum('b h g i d, b h j d -> b h g i j', q, k) * self.scale

        i, j = sim.shape[-2:]
        causal_mask = torch.ones((i, j), dtype = torch.bool, device = device).triu(j - i + 1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)

        attn = sim.softmax(dim = -1)
        out = einsum('b h g i j, b h j d -> b i h g d', attn, v)

        return self.to_out(out.flatten(2)), (k, v)
