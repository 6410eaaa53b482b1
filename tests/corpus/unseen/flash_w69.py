# mu: running maximum, Z: running partition function, Y: running numerator
import torch
from torch import einsum


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    i = torch.arange(n, device=query.device)
    mu = query.new_zeros(b, h, n)
    Z = query.new_zeros(b, h, n)
    Y = torch.zeros_like(query)
    for J, K, V in zip(i.split(block_size), key.split(block_size, 2), value.split(block_size, 2)):
        S = einsum("bhid,bhjd->bhij", query, K) / d**0.5
        if causal:
            S = S.masked_fill(J[None, :] > i[:, None], float("-inf"))
        nu = torch.maximum(mu, S.amax(-1))
        rho = torch.exp(mu - nu)
        P = torch.exp(S - nu[..., None])
        Z = rho * Z + P.sum(-1)
        Y = rho[..., None] * Y + einsum("bhij,bhjd->bhid", P, V)
        mu = nu
    return Y / Z[..., None]
