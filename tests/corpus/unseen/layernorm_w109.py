from __future__ import annotations

import torch
from torch import Tensor


class Moments:
    """Mean and variance of the features, gathered tile by tile in one pass over x."""

    TILE = 256

    def __init__(self, x: Tensor) -> None:
        self.n = x.shape[-1]
        total = x.new_zeros(x.shape[:-1])
        squares = x.new_zeros(x.shape[:-1])
        for tile in x.split(self.TILE, dim=-1):
            total = total + tile.sum(-1)
            squares = squares + (tile * tile).sum(-1)
        self.mean = (total / self.n).unsqueeze(-1)
        self.var = (squares / self.n).unsqueeze(-1) - self.mean**2

    def normalise(self, x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        sigma = (self.var.clamp(min=0) + eps).sqrt()
        return (x - self.mean) / sigma, sigma


def _wide(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.float() if t.dtype in (torch.half, torch.bfloat16) else t for t in tensors)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    xw, w, b = _wide(x, weight, bias)
    x_hat, _ = Moments(xw).normalise(xw, eps)
    return (x_hat * w + b).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    g, xw, w = _wide(grad_output, x, weight)
    x_hat, sigma = Moments(xw).normalise(xw, eps)
    gw = g * w
    inner = gw - gw.mean(-1, keepdim=True) - x_hat * (gw * x_hat).mean(-1, keepdim=True)
    grads = (inner / sigma, (g * x_hat).flatten(0, 1).sum(0), g.flatten(0, 1).sum(0))
    return tuple(t.to(x.dtype) for t in grads)
