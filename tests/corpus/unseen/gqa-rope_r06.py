# attn-kata: gqa-rope
import torch
from torch import nn, cat, arange


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(s, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        s.H, s.G, s.D = num_heads, num_kv_heads, hidden_dim // num_heads
        s.A = nn.Linear(hidden_dim, s.H * s.D)
        s.K = nn.Linear(hidden_dim, s.G * s.D)
        s.V = nn.Linear(hidden_dim, s.G * s.D)
        s.O = nn.Linear(s.H * s.D, hidden_dim)
        s.w = [float(base) ** (-2 * i / s.D) for i in range(s.D // 2)]
        s.tab = None

    def table(s, n, dev):
        if s.tab is None or s.tab.shape[1] < n or s.tab.device != dev:
            a = torch.outer(arange(max(n, 64), device=dev).double(), torch.tensor(s.w, device=dev, dtype=torch.float64))
            s.tab = torch.stack([a.cos(), a.sin()])
        return s.tab

    def rot(s, x, l, r):
        c, z = s.table(r, x.device)[:, l:r].to(x.dtype)
        a, b = x.tensor_split(2, -1)
        return cat([a * c - b * z, b * c + a * z], -1)

    def forward(s, x, cache=None):
        B, T, _ = x.shape
        f = lambda y, h: y.view(B, T, h, s.D).movedim(2, 1)
        q, k, v = f(s.A(x), s.H), f(s.K(x), s.G), f(s.V(x), s.G)
        if cache is not None:
            k, v = cat([cache[0], k], 2), cat([cache[1], v], 2)
        S = k.size(2)
        q, r = s.rot(q, S - T, S), s.rot(k, 0, S)
        q = q.reshape(B, s.G, -1, T, s.D)
        w = torch.einsum('bgrtd,bgsd->bgrts', q, r) * s.D ** -.5
        w = w.masked_fill(arange(S, device=x.device) > arange(S - T, S, device=x.device)[:, None], -torch.inf)
        y = torch.einsum('bgrts,bgsd->btgrd', w.softmax(-1), v)
        return s.O(y.reshape(B, T, -1)), (k, v)
