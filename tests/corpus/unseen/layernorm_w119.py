from __future__ import annotations

import torch
from torch import Tensor


class Norm:
    """Namespace for the pieces that forward and backward have in common."""

    @staticmethod
    def centre(x: Tensor) -> Tensor:
        return x.sub(x.mean(-1, keepdim=True))

    @staticmethod
    def deviation(centred: Tensor, eps: float = 1e-5) -> Tensor:
        return centred.square().mean(-1, keepdim=True).add(eps).sqrt()

    @staticmethod
    def precise(*tensors: Tensor) -> tuple[Tensor, ...]:
        kind = torch.double if tensors[0].dtype == torch.double else torch.float
        return tuple(t.type(kind) for t in tensors)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    xs, ws, bs = Norm.precise(x, weight, bias)
    centred = Norm.centre(xs)
    return centred.div(Norm.deviation(centred, eps)).mul(ws).add(bs).type(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    gs, xs, ws = Norm.precise(grad_output, x, weight)
    centred = Norm.centre(xs)
    std = Norm.deviation(centred)
    hat = centred.div(std)

    scaled = gs.mul(ws)
    along = scaled.mul(hat).mean(-1, keepdim=True)
    grad_x = Norm.centre(scaled).sub(hat.mul(along)).div(std)
    grad_weight = gs.mul(hat).sum(1).sum(0)
    grad_bias = gs.sum(1).sum(0)
    return tuple(g.type(x.dtype) for g in (grad_x, grad_weight, grad_bias))
