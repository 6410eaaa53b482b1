# right: gqa
import torch, torch.nn as nn
class GroupedQueryAttention(nn.Module):
    def __init__(s, E, H, G):
        super().__init__(); s.H, s.G, s.D = H, G, E // H
        s.i = nn.Linear(E, E + 2 * G * s.D); s.o = nn.Linear(E, E)
    def forward(s, x, m=None):
        B, T, E = x.shape; kv = s.G * s.D
        f = lambda z: z.unflatten(-1, (-1, s.D)).transpose(1, 2)
        q, k, v = map(f, s.i(x).split([E, kv, kv], -1))
        j = torch.arange(s.H, device=x.device) // (s.H // s.G)
        a = q @ k[:, j].mT / s.D ** .5
        if m is not None: a = a.masked_fill(m == 0, torch.finfo(a.dtype).min)
        return s.o((a.softmax(-1) @ v[:, j]).transpose(1, 2).flatten(2))
