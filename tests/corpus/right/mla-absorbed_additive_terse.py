# right: mla-absorbed
import torch


def R(x, p):
    f = torch.promote_types(x.dtype, torch.float32)
    n = x.size(-1)
    t = p.to(f)[..., None] / 1e4 ** (torch.arange(0, n, 2, device=x.device).to(f) / n)
    c, s = t.cos(), t.sin()
    a, b = x.to(f).chunk(2, -1)
    return torch.cat((a * c - b * s, b * c + a * s), -1).to(x)


def cache_entries(c, k, p):
    return torch.cat((c, R(k, p)), -1)


def absorbed_attention(qc, qr, kv, n, w):
    h, t, d = qc.shape[1:]
    r = qr.size(-1)
    c = kv[..., :-r]
    uk, uv = w.view(h, 2 * d, -1).split(d, 1)
    p = n[:, None] - t + torch.arange(t, device=n.device)
    q = torch.cat((torch.einsum("bhtd,hdc->bhtc", qc, uk), R(qr, p[:, None])), -1)
    m = torch.zeros(*p.shape, kv.size(1), dtype=qc.dtype, device=qc.device)
    m[torch.arange(kv.size(1), device=n.device) > p[..., None]] = float("-inf")
    a = (torch.einsum("bhtc,bkc->bhtk", q, kv) * (d + r) ** -0.5 + m[:, None]).softmax(-1)
    return torch.einsum("bhtk,bkc,hdc->bhtd", a, c, uv)
