from __future__ import annotations

import torch
from torch import Tensor


def _welford(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and biased variance over the last axis, in one pass over its features, pairwise merged."""
    n = torch.ones_like(x[..., :1]).expand_as(x)
    mean, m2 = x, torch.zeros_like(x)
    while mean.shape[-1] > 1:
        if mean.shape[-1] % 2:  # carry the odd one along as an empty group
            mean = torch.cat((mean, mean[..., -1:]), -1)
            m2 = torch.cat((m2, torch.zeros_like(m2[..., -1:])), -1)
            n = torch.cat((n, torch.zeros_like(n[..., -1:])), -1)
        (na, nb), (ma, mb), (qa, qb) = ((t[..., 0::2], t[..., 1::2]) for t in (n, mean, m2))
        n = na + nb
        gap = mb - ma
        mean = ma + gap * (nb / n)
        m2 = qa + qb + gap * gap * (na * nb / n)
    return mean, m2 / n


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    wide = x.to(torch.float64)
    mean, var = _welford(wide)
    out = (wide - mean).div(var.add(eps).sqrt()).mul(weight.to(torch.float64)).add(bias.to(torch.float64))
    return out.to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    if grad_output.shape != x.shape or weight.shape != x.shape[-1:]:
        raise ValueError("shapes do not fit")
    g, wide, w = grad_output.double(), x.double(), weight.double()
    mean, var = _welford(wide)
    inv = torch.reciprocal((var + eps).sqrt())
    xhat = (wide - mean) * inv
    # as a sum of outer products with two unit directions: ones and x-hat
    basis = torch.stack((torch.ones_like(xhat), xhat), dim=-2)  # (b, t, 2, d)
    gw = (g * w).unsqueeze(-2)
    grad_x = inv.unsqueeze(-1) * (gw - (gw @ basis.mT) @ basis / x.shape[-1])
    rows, hats = g.reshape(-1, x.shape[-1]), xhat.reshape(-1, x.shape[-1])
    return grad_x.squeeze(-2).to(x.dtype), (rows * hats).sum(0).to(x.dtype), rows.sum(0).to(x.dtype)
