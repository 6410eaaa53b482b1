# A_ij = exp(S_ij - c) / sum_l exp(S_il - c); the shift c cancels and only keeps exp from overflowing
import torch
from torch import einsum


def attention(query, key, value, mask=None, causal=False):
    n, m, d = query.shape[-2], key.shape[-2], key.shape[-1]
    S = einsum("...id,...jd->...ij", query, key) * d**-0.5
    if mask is not None:
        S = S.masked_fill(mask == 0, float("-inf"))
    if causal:
        upper = torch.ones(n, m, dtype=torch.bool, device=S.device).triu(m - n + 1)
        S = S.masked_fill(upper, float("-inf"))
    c = S.max()
    E = torch.exp(S - c)
    A = E / E.sum(-1, keepdim=True)
    return einsum("...ij,...je->...ie", A, value)
