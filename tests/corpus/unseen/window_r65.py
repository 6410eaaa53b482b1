import numpy as np
import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    """Only the band is ever computed: (batch, heads, length, window) scores."""
    B, H, L, D = query.shape
    w = min(int(window), L)

    # w - 1 rows of zeros in front, then every window of w rows: (B, H, L, D, w)
    Kw = F.pad(key, (0, 0, w - 1, 0)).unfold(2, w, 1)
    Vw = F.pad(value, (0, 0, w - 1, 0)).unfold(2, w, 1)

    S = torch.einsum("bhid,bhidw->bhiw", query, Kw) / float(np.sqrt(D))

    # entry c of row i is position i - (w - 1) + c; below zero it is one of the padded rows
    pos = torch.arange(L, device=query.device)[:, None] + torch.arange(1 - w, 1, device=query.device)
    S = torch.where(pos >= 0, S, torch.full_like(S, -torch.inf))

    S = S - S.amax(dim=-1, keepdim=True)
    E = torch.exp(S)
    P = E / E.sum(dim=-1, keepdim=True)
    return torch.einsum("bhiw,bhidw->bhid", P, Vw)
