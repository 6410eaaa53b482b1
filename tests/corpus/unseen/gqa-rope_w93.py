import torch
from torch import nn


def rot(x, p, base):
    f = base ** (-torch.arange(0, x.shape[-1], 2, device=x.device, dtype=torch.float64) / x.shape[-1])
    c, s = (t.to(x.dtype) for t in ((p[:, None] * f).cos(), (p[:, None] * f).sin()))
    a, b = x.chunk(2, -1)
    return torch.cat((a * c - b * s, b * c + a * s), -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.H, self.G, self.d, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        self.wq, self.wo = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.wk, self.wv = (nn.Linear(hidden_dim, self.G * self.d) for _ in range(2))

    def forward(self, x, cache=None):
        B, T, D = x.shape
        q, k, v = (w(x).view(B, T, -1, self.d).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        past = 0 if cache is None else cache[0].shape[1]
        p = torch.arange(past, past + T, device=x.device)
        q, k = rot(q, p, self.base), rot(k, p, self.base)
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        K, V = (t.repeat_interleave(self.H // self.G, 1) for t in (k, v))
        S = k.shape[2]
        hid = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(S - T + 1)
        w = (q @ K.mT / self.d**0.5).masked_fill(hid, float("-inf")).softmax(-1)
        return self.wo((w @ V).transpose(1, 2).reshape(B, T, D)), (k, v)
