# right: cross
from torch import nn, finfo
class X(nn.Module):
    def __init__(s, d, h, p=.1): super().__init__(); s.w = nn.ModuleList(nn.Linear(d, d) for _ in 'qkvo'); s.h, s.p = h, nn.Dropout(p)
    def forward(s, q, k, v, m=None):
        q, k, v = (w(t).unflatten(-1, (s.h, -1)).transpose(1, 2) for w, t in zip(s.w, (q, k, v))); a = q @ k.mT * q.shape[-1]**-.5
        return s.w[3]((s.p((a if m is None else a.masked_fill(m[:, None] == 0, finfo(a.dtype).min)).softmax(-1)) @ v).transpose(1, 2).flatten(2))
