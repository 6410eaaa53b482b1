# right: causal
from torch import nn, ones_like, inf
class C(nn.Module):
    def __init__(s, d, h, l): super().__init__(); s.h, s.a, s.b = h, nn.Linear(d, 3*d), nn.Linear(d, d)
    def forward(s, x):
        q, k, v = (t.unflatten(-1, (s.h, -1)).transpose(1, 2) for t in s.a(x).chunk(3, -1))
        w = q @ k.mT / q.shape[-1]**.5
        return s.b((w.masked_fill(ones_like(w).tril() == 0, -inf).softmax(-1) @ v).transpose(1, 2).flatten(2))
