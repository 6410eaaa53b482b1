# right: mla
import math, torch
from torch import nn
def rope(x, pos):
    d = x.shape[-1]
    f = 10000.0 ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float64) / d)
    a = pos.double()[:, None] * f
    c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
    l, r = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([l * c - r * s, r * c + l * s], -1)
class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.s = (hidden_dim, num_heads, head_dim, rope_dim, latent_dim)
        e, h, d, r, c = self.s
        self.sh = [(h * (d + r), e), (c + r, e), (h * 2 * d, c), (e, h * d)]
        self.p = nn.Parameter(torch.randn(sum(math.prod(s) for s in self.sh)) * 0.1)
    def forward(self, x, cache=None):
        e, h, d, r, c = self.s
        B, T, _ = x.shape
        wq, wd, wu, wo = [p.view(s) for p, s in zip(self.p.split([math.prod(s) for s in self.sh]), self.sh)]
        start = 0 if cache is None else cache.shape[1]
        pos = torch.arange(start, start + T, device=x.device)
        q = (x @ wq.T).view(B, T, h, d + r).transpose(1, 2)
        qn, qr = q[..., :d], rope(q[..., d:], pos)
        down = x @ wd.T
        lat = torch.cat([down[..., :c], rope(down[..., c:], pos)], -1)
        if cache is not None:
            lat = torch.cat([cache, lat], 1)
        K = lat.shape[1]
        kv = (lat[..., :c] @ wu.T).view(B, K, h, 2 * d).transpose(1, 2)
        s = (qn @ kv[..., :d].mT + qr @ lat[:, None, :, c:].mT) / math.sqrt(d + r)
        m = torch.ones(T, K, device=x.device).tril(K - T) == 0
        w = s.masked_fill(m, float("-inf")).softmax(-1)
        return (w @ kv[..., d:]).transpose(1, 2).reshape(B, T, h * d) @ wo.T, lat
