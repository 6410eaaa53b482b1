import torch
from torch import Tensor


def center(x: Tensor) -> Tensor:
    return x - x.mean(-1, keepdim=True)


def inverse_std(x: Tensor, eps: float) -> Tensor:
    return (center(x).square().mean(-1, keepdim=True) + eps).rsqrt()


def normalise(x: Tensor, eps: float) -> Tensor:
    return center(x) * inverse_std(x, eps)


def over_positions(t: Tensor) -> Tensor:
    return t.flatten(0, -2).sum(0)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    return torch.addcmul(bias, normalise(x, eps), weight)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    xhat = normalise(x, eps)
    g = grad_output * weight
    along = (g * x).mean(-1, keepdim=True)
    grad_x = inverse_std(x, eps) * (center(g) - xhat * along)
    return grad_x, over_positions(grad_output * xhat), over_positions(grad_output)
