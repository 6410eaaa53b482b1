# right: block
import torch, torch.nn as nn
class TransformerBlock(nn.Module):
    def __init__(s, E, H):
        super().__init__(); s.H = H
        s.n, s.m = nn.LayerNorm(E), nn.LayerNorm(E)
        s.i, s.o = nn.Linear(E, 3 * E), nn.Linear(E, E)
        s.f = nn.Sequential(nn.Linear(E, 4 * E), nn.GELU(), nn.Linear(4 * E, E))
    def a(s, x):
        q, k, v = s.i(x).unflatten(-1, (3, s.H, -1)).permute(2, 0, 3, 1, 4)
        w = q @ k.mT * q.size(-1) ** -.5
        w = w.masked_fill(torch.ones_like(w[0, 0]).triu(1).bool(), -torch.inf).softmax(-1)
        return s.o((w @ v).transpose(1, 2).flatten(2))
    def forward(s, x): return (y := x + s.a(s.n(x))) + s.f(s.m(y))
