# right: mha
import torch as t; N = t.nn
class M(N.Module):
    def __init__(s, d, h, p=.1): super().__init__(); s.h = h; s.i = N.Linear(d, 3*d); s.o = N.Linear(d, d); s.p = N.Dropout(p)
    def forward(s, x, m=None):
        q, k, v = s.i(x).unflatten(2, (3, s.h, -1)).permute(2, 0, 3, 1, 4); a = q @ k.mT * q.shape[-1]**-.5
        return s.o((s.p((a if m is None else a.masked_fill(m == 0, t.finfo(a.dtype).min)).softmax(3)) @ v).transpose(1, 2).flatten(2))
