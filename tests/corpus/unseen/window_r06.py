"""Query blocks against just the band of keys they can reach; linear in the length."""
import torch


def window_attention(query, key, value, window):
    B, H, L, D = query.shape
    step = 48
    q = query.double() * D**-0.5
    k, v = key.double(), value.double()
    outs = []
    for lo in range(0, L, step):
        hi = min(lo + step, L)
        k_lo = max(lo - window + 1, 0)
        s = torch.einsum("zhid,zhjd->zhij", q[:, :, lo:hi], k[:, :, k_lo:hi])
        band = torch.ones(hi - lo, hi - k_lo, dtype=torch.bool, device=q.device)
        band = band.tril(lo - k_lo) ^ band.tril(lo - k_lo - window)
        s = torch.where(band, s, -torch.inf)
        outs.append(torch.einsum("zhij,zhjd->zhid", torch.softmax(s, -1), v[:, :, k_lo:hi]))
    return torch.cat(outs, dim=2).to(query.dtype)
