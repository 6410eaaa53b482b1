from __future__ import annotations

import torch
from torch import Tensor


def _hat(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Normalised features and one over the deviation, float32 or wider."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    spread, centre = torch.var_mean(wide, dim=-1, correction=0, keepdim=True)
    inv = torch.rsqrt(spread + eps)
    return (wide - centre) * inv, inv


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    hat, _ = _hat(x, eps)
    return torch.addcmul(bias.to(hat), hat, weight.to(hat)).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    hat, inv = _hat(x, eps)
    n = x.shape[-1]
    g = grad_output.to(hat.dtype)
    upstream = torch.einsum("blh,h->blh", g, weight.to(hat.dtype))
    # take out what points along (1, ..., 1) and along hat
    along_ones = upstream.sum(-1, keepdim=True)
    along_hat = torch.linalg.vecdot(upstream, hat).unsqueeze(-1)
    grad_x = inv / n * (n * upstream - along_ones - hat * along_hat)
    grad_weight = torch.einsum("blh,blh->h", g, hat)
    grad_bias = torch.einsum("blh->h", g)
    return grad_x.to(x.dtype), grad_weight.to(weight.dtype), grad_bias.to(weight.dtype)
