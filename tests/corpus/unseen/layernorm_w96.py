from __future__ import annotations

import torch
from torch import Tensor


def _normalise(x: Tensor, eps: float = 1e-5) -> tuple[Tensor, Tensor]:
    centred = x - x.mean(-1, keepdim=True)
    inverse = torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps)
    return centred * inverse, inverse


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    normal, _ = _normalise(x, eps)
    return torch.addcmul(bias, normal, weight)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    normal, inverse = _normalise(x)
    g = grad_output * weight
    grad_x = inverse * (g - g.mean(-1, keepdim=True) - normal * (g * normal).mean(-1, keepdim=True))
    grad_weight = torch.einsum("blh,blh->h", grad_output, normal)
    grad_bias = torch.einsum("blh->h", grad_output)
    return grad_x, grad_weight, grad_bias
