# softmax written through its log: log A_ij = S_ij - LSE_j S_ij, with S_ij = -inf where (i, j) is hidden
import torch
from torch import einsum


def attention(query, key, value, mask=None, causal=False):
    (n, d), m = query.shape[-2:], key.shape[-2]
    i = torch.arange(m - n, m, device=query.device)
    j = torch.arange(m, device=query.device)
    omega = (j[None] <= i[:, None]) if causal else torch.ones_like(i[:, None] + j, dtype=torch.bool)
    if mask is not None:
        omega = omega & (mask != 0)
    S = einsum("bhid,bhjd->bhij", query, key) / d**0.5
    S = torch.where(omega, S, float("-inf"))
    log_A = S - S.logsumexp(dim=-1, keepdim=True)
    return einsum("bhij,bhje->bhie", log_A.exp(), value)
