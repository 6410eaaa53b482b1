# wrong: gqa-rope kv-heads-tiled line 43
# fair: kv-heads-tiled 44
import torch
from torch import nn, einsum

def rotate_half(x):
    x1, x2 = x.chunk(2, dim = -1)
    return torch.cat((-x2, x1), dim = -1)

def apply_rotary(freqs, t):
    return (t * freqs.cos() + rotate_half(t) * freqs.sin()).to(t.dtype)

class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base = 10000):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.h, self.kvh, self.dh = num_heads, num_kv_heads, dim_head
        self.base = base
        self.scale = dim_head ** -0.5
        self.to_q = nn.Linear(hidden_dim, num_heads * dim_head, bias = False)
        self.to_kv = nn.Linear(hidden_dim, 2 * num_kv_heads * dim_head, bias = False)
        self.to_out = nn.Linear(num_heads * dim_head, hidden_dim, bias = False)

    def forward(self, x, cache = None):
        b, n, device = *x.shape[:2], x.device
        q = self.to_q(x).view(b, n, self.h, self.dh).transpose(1, 2)
        k, v = self.to_kv(x).chunk(2, dim = -1)
        k, v = (t.view(b, n, self.kvh, self.dh).transpose(1, 2) for t in (k, v))

        offset = cache['k'].shape[-2] if cache is not None else 0
        pos = torch.arange(offset, offset + n, device = device)
        inv_freq = self.base ** -(torch.arange(0, self.dh, 2, device = device).float() / self.dh)
        freqs = einsum('i, j -> i j', pos.float(), inv_freq)
        freqs = torch.cat((freqs, freqs), dim = -1)
        q, k = apply_rotary(freqs, q), apply_rotary(freqs, k)

        if cache is not None:
            k = torch.cat((cache['k'], k), dim = -2)
            v = torch.cat((cache['v'], v), dim = -2)
        cache = dict(k = k, v = v)

        g = self.h // self.kvh
        q = q.view(b, g, self.kvh, n, self.dh)
        sim = einsum('b g h i d, b h j d -> b g h i j', q, k) * self.scale
        keep = pos[:, None] >= torch.arange(offset + n, device = device)
        sim = sim.masked_fill(~keep, -torch.finfo(sim.dtype).max)
        out = einsum('b g h i j, b h j d -> b g h i d', sim.softmax(dim = -1), v)
        out = out.reshape(b, self.h, n, self.dh).transpose(1, 2).flatten(2)
        return self.to_out(out), cache
