from typing import NamedTuple

import torch
from torch import Tensor


class Moments(NamedTuple):
    mu: Tensor
    sigma: Tensor


def moments(x: Tensor, eps: float = 1e-5) -> Moments:
    var, mu = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return Moments(mu, torch.sqrt(var + eps))


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    stat = moments(x.double(), eps)
    y = (x.double() - stat.mu) / stat.sigma
    return (y * weight.double() + bias.double()).type_as(x)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    x64, dy = x.double(), grad_output.double()
    stat = moments(x64)
    y = (x64 - stat.mu) / stat.sigma
    grad_weight = (dy * y).flatten(0, 1).sum(0)
    grad_bias = dy.flatten(0, 1).sum(0)
    dxhat = dy * weight.double()
    inner = dxhat - dxhat.mean(-1, keepdim=True) - y * (dxhat * y).mean(-1, keepdim=True)
    return (inner / stat.sigma).type_as(x), grad_weight.type_as(weight), grad_bias.type_as(weight)
