# wrong: gqa-rope rope-tables-misaligned line 9
# fair: rope-tables-misaligned 27 29
import torch
from torch import nn


def apply(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.nh, self.nkv, self.base = num_heads, num_kv_heads, base
        self.dh = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, num_kv_heads * self.dh)
        self.v = nn.Linear(hidden_dim, num_kv_heads * self.dh)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        past = 0 if cache is None else cache[0].shape[2]
        freq = self.base ** (-torch.arange(0, self.dh, 2, device=x.device).double() / self.dh)
        angle = torch.arange(past, past + t, device=x.device).double()[:, None] * freq
        angle = angle.repeat_interleave(2, dim=-1)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        q = apply(self.q(x).view(b, t, self.nh, self.dh).transpose(1, 2), cos, sin)
        k = apply(self.k(x).view(b, t, self.nkv, self.dh).transpose(1, 2), cos, sin)
        v = self.v(x).view(b, t, self.nkv, self.dh).transpose(1, 2)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        r = self.nh // self.nkv
        s = q @ k.repeat_interleave(r, 1).mT / self.dh**0.5
        s = s.masked_fill(torch.ones_like(s).tril(past) == 0, float("-inf"))
        y = s.softmax(-1) @ v.repeat_interleave(r, 1)
        return self.o(y.transpose(1, 2).reshape(b, t, e)), (k, v)
