# RoPE as multiplication by e^{i p theta}. Keys stay unturned in the cache; each call turns them all.
import torch
from torch import nn
from torch.nn import functional as F


def turn(t, phase):
    """t: (..., length, d) real, phase: (length, d/2) complex"""
    re, im = t.to(phase.real.dtype).chunk(2, dim=-1)
    z = torch.complex(re.contiguous(), im.contiguous()) * phase
    return torch.cat([z.real, z.imag], dim=-1).to(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        assert num_heads % num_kv_heads == 0, "heads must divide evenly into groups"
        d = hidden_dim // num_heads
        assert d % 2 == 0
        self.G, self.R, self.d, self.base = num_kv_heads, num_heads // num_kv_heads, d, float(base)
        self.W_in = nn.Parameter(torch.randn((num_heads + 2 * num_kv_heads) * d, hidden_dim) / hidden_dim**0.5)
        self.W_out = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim**0.5)

    def phases(self, count, like):
        wide = torch.float64 if like.dtype == torch.float64 else torch.float32
        i = torch.arange(self.d // 2, device=like.device, dtype=torch.float64)
        p = torch.arange(count, device=like.device, dtype=torch.float64)
        angle = torch.outer(p, self.base ** (-2 * i / self.d)).to(wide)
        return torch.polar(torch.ones_like(angle), angle)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q, k, v = F.linear(x, self.W_in).split([self.G * self.R * self.d, self.G * self.d, self.G * self.d], -1)
        q = q.view(b, n, self.G, self.R, self.d).permute(0, 2, 3, 1, 4)
        k = k.view(b, n, self.G, self.d).transpose(1, 2)
        v = v.view(b, n, self.G, self.d).transpose(1, 2)

        if cache is not None:
            k, v = (torch.cat(pair, dim=2) for pair in zip(cache, (k, v)))
        cache = [k, v]

        m = k.size(2)
        phase = self.phases(m, x)
        q, kr = turn(q, phase[m - n:]), turn(k, phase)

        s = torch.einsum("bgrnd,bgmd->bgrnm", q, kr) * self.d**-0.5
        keep = torch.ones(n, m, dtype=torch.bool, device=x.device).tril(m - n)
        a = torch.where(keep, s, -torch.inf).softmax(dim=-1)
        y = torch.einsum("bgrnm,bgmd->bngrd", a, v).reshape(b, n, -1)
        return F.linear(y, self.W_out), cache
