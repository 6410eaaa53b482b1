# wrong: gqa-rope rope-positions-shifted line 44
import torch
from torch import nn
from torch.nn import functional as F


class Turner(nn.Module):
    """Cosines and sines for a stretch of positions; the table is not a buffer, so that .half() leaves it alone."""

    def __init__(self, head_dim, base):
        super().__init__()
        self.register_buffer("pair", torch.arange(head_dim // 2), persistent=False)
        self.head_dim = head_dim
        self.base = base

    def table(self, offset, length):
        exponent = self.pair.double() * 2 / self.head_dim
        positions = torch.arange(length, device=self.pair.device) + offset
        return positions.unsqueeze(1) / torch.pow(self.base, exponent)

    def forward(self, angle, *tensors):
        for t in tensors:
            cos, sin = angle.cos().type_as(t), angle.sin().type_as(t)
            left, right = t.split(self.head_dim // 2, dim=-1)
            yield torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.head_dim = head_dim = hidden_dim // num_heads
        self.rep = num_heads // num_kv_heads
        self.turner = Turner(head_dim, base)
        self.q = nn.Linear(hidden_dim, num_heads * head_dim, bias=True)
        self.k = nn.Linear(hidden_dim, num_kv_heads * head_dim, bias=True)
        self.v = nn.Linear(hidden_dim, num_kv_heads * head_dim, bias=True)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def heads(self, t):
        return t.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)

    def forward(self, x, cache=None):
        length = x.shape[1]
        offset = cache["keys"].shape[1] if cache else 0
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        q, k = self.turner(self.turner.table(offset, length), q, k)
        if cache:
            k = torch.cat([cache["keys"], k], dim=2)
            v = torch.cat([cache["values"], v], dim=2)
        cache = {"keys": k, "values": v}
        k, v = (t.repeat_interleave(self.rep, dim=1) for t in (k, v))
        s = q @ k.transpose(-1, -2) * self.head_dim**-0.5
        s = s.masked_fill(~torch.ones_like(s, dtype=torch.bool).tril(k.shape[2] - length), float("-inf"))
        y = F.softmax(s, dim=-1) @ v
        return self.o(y.transpose(1, 2).flatten(2)), cache
