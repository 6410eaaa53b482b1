# complex numbers for the rotation; the cache holds UNrotated keys and a python list of chunks
import torch
from torch import nn
from types import SimpleNamespace


def phases(start, stop, d, base, device):
    i = torch.arange(d // 2, device=device, dtype=torch.float64)
    theta = torch.as_tensor(float(base), dtype=torch.float64, device=device).pow(-2.0 * i / d)
    p = torch.arange(start, stop, device=device, dtype=torch.float64)
    return torch.polar(torch.ones((), dtype=torch.float64, device=device), torch.outer(p, theta))


def spin(t, ph):
    a, b = t.to(torch.float64).chunk(2, dim=-1)
    z = torch.complex(a.contiguous(), b.contiguous()) * ph
    return torch.cat((z.real, z.imag), dim=-1).to(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.spec = SimpleNamespace(n=num_heads, kv=num_kv_heads, d=hidden_dim // num_heads, base=base)
        self.pack = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.spec.d, bias=False)
        self.unpack = nn.Linear(num_heads * self.spec.d, hidden_dim)

    def forward(self, x, cache=None):
        s = self.spec
        B, T, _ = x.shape
        z = self.pack(x).view(B, T, -1, s.d)
        q, k, v = z.split((s.n, s.kv, s.kv), dim=2)
        chunks = [*(cache or ()), (k, v)]
        K = torch.cat([c[0] for c in chunks], 1).transpose(1, 2)
        V = torch.cat([c[1] for c in chunks], 1).transpose(1, 2)
        S = K.shape[2]
        q = spin(q.transpose(1, 2), phases(S - T, S, s.d, s.base, x.device))
        K = spin(K, phases(0, S, s.d, s.base, x.device))
        scores = q.unflatten(1, (s.kv, -1)) @ K[:, :, None].mT * s.d ** -0.5
        gap = torch.arange(S - T, S, device=x.device)[:, None] - torch.arange(S, device=x.device)
        scores = scores.masked_fill(gap < 0, float("-inf"))
        y = (scores.softmax(-1) @ V[:, :, None]).flatten(1, 2)
        return self.unpack(y.transpose(1, 2).flatten(2)), chunks
