import functools
import torch
from torch import nn


@functools.lru_cache(maxsize=64)
def _inverse_frequencies(head_dim, base=10000.0):
    return tuple(base ** (-2.0 * i / head_dim) for i in range(head_dim // 2))


def _rotate(t, cos, sin):
    a, b = t.tensor_split(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.q = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def _cos_sin(self, first, count, like):
        freqs = torch.tensor(_inverse_frequencies(self.head_dim), device=like.device)
        positions = torch.arange(first, first + count, device=like.device)
        theta = torch.outer(positions.float(), freqs)
        return theta.cos().to(like.dtype), theta.sin().to(like.dtype)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        past = 0 if cache is None else cache[0].shape[2]
        q = self.q(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k(x).view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v(x).view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)
        cos, sin = self._cos_sin(past, t, x)
        q, k = _rotate(q, cos, sin), _rotate(k, cos, sin)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        share = self.num_heads // self.num_kv_heads
        scores = q @ k.repeat_interleave(share, dim=1).mT / self.head_dim ** 0.5
        late = torch.ones(t, past + t, dtype=torch.bool, device=x.device).triu(past + 1)
        weights = scores.masked_fill(late, float("-inf")).softmax(dim=-1)
        out = weights @ v.repeat_interleave(share, dim=1)
        return self.o(out.transpose(1, 2).reshape(b, t, -1)), (k, v)
