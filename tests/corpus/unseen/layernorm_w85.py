import torch
from torch import Tensor


def _normalised(x: Tensor, eps: float = 1e-5) -> tuple[Tensor, Tensor]:
    """Return x̂ and 1/σ, both in float32 or wider."""
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    centred = wide - wide.mean(dim=-1, keepdim=True)
    inverse = (centred.square().mean(dim=-1, keepdim=True) + eps).rsqrt()
    return centred * inverse, inverse


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    normalised, _ = _normalised(x, eps)
    return (normalised * weight + bias).to(x.dtype)


def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    normalised, inverse = _normalised(x)
    wide = grad_output.to(normalised.dtype)
    grad_weight = (wide * normalised).sum(dim=(0, 1))
    grad_bias = wide.sum(dim=(0, 1))
    g = wide * weight
    along = (g * normalised).mean(dim=-1, keepdim=True)
    grad_x = inverse * (g - g.mean(dim=-1, keepdim=True) - normalised * along)
    return grad_x.to(x.dtype), grad_weight.to(x.dtype), grad_bias.to(x.dtype)
