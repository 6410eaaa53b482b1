# attn-kata: layernorm
# Welford over the feature axis, vectorised over positions; float32 or wider inside.
from __future__ import annotations

import torch
from torch import Tensor

LANES = 64


def _wide(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.to(torch.float32)


def _moments(x: Tensor) -> tuple[Tensor, Tensor]:
    """(mean, mean of squared deviations), merged lane by lane (Chan et al.)."""
    count = 0
    mean = m2 = None
    for part in x.split(LANES, dim=-1):
        n = part.size(-1)
        mu = part.mean(dim=-1, keepdim=True)
        sq = (part - mu).square().sum(dim=-1, keepdim=True)
        if mean is None:
            mean, m2 = mu, sq
        else:
            delta = mu - mean
            m2 = m2 + sq + delta.square() * (count * n / (count + n))
            mean = mean + delta * (n / (count + n))
        count += n
    return mean, m2 / count


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    z = _wide(x)
    mean, var = _moments(z)
    return torch.addcmul(_wide(bias), (z - mean) / torch.sqrt(var + eps), _wide(weight)).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    d = x.size(-1)
    g = _wide(grad_output).reshape(-1, d)
    z = _wide(x).reshape(-1, d)
    mean, var = _moments(z)
    inv = 1.0 / torch.sqrt(var + eps)
    hat = (z - mean) * inv

    grad_bias = torch.mv(g.t(), g.new_ones(g.size(0)))
    grad_weight = torch.einsum("nd,nd->d", g, hat)
    gh = g * _wide(weight)
    s1 = gh.sum(dim=1, keepdim=True)
    s2 = (gh * hat).sum(dim=1, keepdim=True)
    grad_x = inv / d * (d * gh - s1 - hat * s2)
    return (
        grad_x.view(x.shape).to(x.dtype),
        grad_weight.to(weight.dtype),
        grad_bias.to(weight.dtype),
    )
