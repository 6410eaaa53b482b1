import numpy as np
import torch


def flash_attention(query, key, value, block_size, causal=False):
    # nb, nh, nl, nd: extents, as in the Fortran version
    nb, nh, nl, nd = query.shape
    rp = torch.float64 if query.dtype == torch.float64 else torch.float32
    q = query.to(rp) * float(1.0 / np.sqrt(nd))

    smax = torch.full((nb, nh, 1, 1), -np.inf, dtype=rp, device=query.device)
    ssum = torch.zeros((nb, nh, nl, 1), dtype=rp, device=query.device)
    outp = torch.zeros((nb, nh, nl, nd), dtype=rp, device=query.device)

    for lo in range(0, nl, block_size):
        hi = min(lo + block_size, nl)
        kt = key[:, :, lo:hi, :].to(rp)
        vt = value[:, :, lo:hi, :].to(rp)
        sc = torch.einsum("bhid,bhjd->bhij", q, kt)
        if causal:
            band = torch.ones(nl, hi - lo, dtype=torch.bool, device=query.device).tril(-lo)
            sc = sc.masked_fill(~band, -np.inf)
        tmax = torch.maximum(smax, sc.amax(dim=(-2, -1), keepdim=True))
        corr = torch.exp(smax - tmax)
        w = torch.exp(sc - tmax)
        ssum = ssum * corr + w.sum(-1, keepdim=True)
        outp = outp * corr + torch.einsum("bhij,bhjd->bhid", w, vt)
        smax = tmax

    return (outp / ssum).to(query.dtype)
