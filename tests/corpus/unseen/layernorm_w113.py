from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Normalised:
    x_hat: Tensor
    inverse: Tensor  # 1 / deviation

    @classmethod
    def of(cls, x: Tensor, eps: float) -> Normalised:
        x = x.to(torch.promote_types(x.dtype, torch.float32))
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        inverse = (variance + eps).rsqrt()
        return cls(centred * inverse, inverse)

    def pull_back(self, grad: Tensor, weighted: Tensor) -> Tensor:
        shift = weighted.mean(dim=-1, keepdim=True)
        stretch = (grad * self.x_hat).mean(dim=-1, keepdim=True)
        return self.inverse * (weighted - shift - self.x_hat * stretch)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    return (Normalised.of(x, eps).x_hat * weight + bias).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    normalised = Normalised.of(x, eps)
    grad = grad_output.to(normalised.x_hat.dtype)
    grad_x = normalised.pull_back(grad, grad * weight)
    grad_weight = torch.einsum("bld,bld->d", grad, normalised.x_hat)
    grad_bias = torch.einsum("bld->d", grad)
    return grad_x.to(x.dtype), grad_weight.to(x.dtype), grad_bias.to(x.dtype)
