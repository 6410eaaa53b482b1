# wrong: mla rope-missing line 15
# fair: rope-missing 10, 11, 12
import torch, torch.nn as nn
class MultiHeadLatentAttention(nn.Module):
    def __init__(s, E, H, D, R, C):
        super().__init__(); s.z = H, D, R, C
        s.q = nn.Linear(E, H * (D + R)); s.kv = nn.Linear(E, C + R); s.up = nn.Linear(C, H * 2 * D); s.o = nn.Linear(H * D, E)
    def forward(s, x, m=None):
        H, D, R, C = s.z
        q = s.q(x).unflatten(-1, (H, D + R)).transpose(1, 2)
        m = s.kv(x) if m is None else torch.cat([m, s.kv(x)], 1)
        c, r = m.split([C, R], -1)
        k, v = s.up(c).unflatten(-1, (H, 2 * D)).transpose(1, 2).chunk(2, -1)
        k = torch.cat([k, r.unsqueeze(1).expand(-1, H, -1, -1)], -1)
        a = q @ k.mT * (D + R) ** -.5
        a = a.masked_fill(torch.ones_like(a[0, 0]).triu(a.size(-1) - a.size(-2) + 1) > 0, -torch.inf).softmax(-1)
        return s.o((a @ v).transpose(1, 2).flatten(2)), m
