# right: mla
import torch, torch.nn as nn
class MultiHeadLatentAttention(nn.Module):
    def __init__(s, E, H, D, R, C):
        super().__init__(); s.z = H, D, R, C
        s.a = nn.Linear(E, H * (D + R)); s.b = nn.Linear(E, C + R); s.c = nn.Linear(C, 2 * H * D); s.d = nn.Linear(H * D, E)
    def r(s, x, p):
        f = p[:, None] * 1e4 ** (-torch.arange(0, s.z[2], 2, device=x.device) / s.z[2]); u, v = x.chunk(2, -1)
        return torch.cat([u * f.cos() - v * f.sin(), v * f.cos() + u * f.sin()], -1).to(x)
    def forward(s, x, m=None):
        H, D, R, C = s.z; n = 0 if m is None else m.size(1); p = torch.arange(n, n + x.size(1), device=x.device)
        q, qr = s.a(x).split([H * D, H * R], -1); q, qr = (t.unflatten(-1, (H, -1)).transpose(1, 2) for t in (q, qr))
        c, kr = s.b(x).split([C, R], -1); y = torch.cat([c, s.r(kr, p)], -1)
        m = y if m is None else torch.cat([m, y], 1)
        k, v = s.c(m[..., :C]).unflatten(-1, (2, H, D)).permute(2, 0, 3, 1, 4)
        a = (q @ k.mT + s.r(qr, p) @ m[:, None, :, C:].mT) / (D + R) ** .5
        a = a.masked_fill(torch.arange(m.size(1), device=x.device) > p[:, None], -torch.inf).softmax(-1)
        return s.d((a @ v).transpose(1, 2).flatten(2)), m
