# right: mqa
import torch, torch.nn as nn
class MultiQueryAttention(nn.Module):
    def __init__(s, E, H):
        super().__init__(); s.H, s.D = H, E // H
        s.q, s.k, s.v, s.o = (nn.Linear(E, n) for n in (E, E // H, E // H, E))
    def forward(s, x, m=None):
        q = s.q(x).unflatten(-1, (s.H, s.D)).transpose(1, 2)
        a = q @ s.k(x)[:, None].mT / s.D ** .5
        if m is not None: a = a.masked_fill(m == 0, torch.finfo(a.dtype).min)
        return s.o((a.softmax(-1) @ s.v(x)[:, None]).transpose(1, 2).flatten(2))
