# wrong: layernorm norm-eps line 10
# fair: norm-eps 9
from torch import Tensor


def _normalise(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = (centred * centred).mean(dim=-1, keepdim=True)
    deviation = variance.sqrt() + eps
    return centred / deviation, deviation


def layer_norm(x, weight, bias, eps=1e-5):
    normed, _ = _normalise(x, eps)
    return normed.mul(weight).add(bias)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    centred = x - x.mean(dim=-1, keepdim=True)
    deviation = ((centred * centred).mean(dim=-1, keepdim=True) + eps).sqrt()
    normed = centred / deviation
    inner = grad_output * weight
    grad_x = inner - inner.mean(dim=-1, keepdim=True)
    grad_x = grad_x - normed * (inner * normed).mean(dim=-1, keepdim=True)
    return grad_x / deviation, (grad_output * normed).sum(dim=(0, 1)), grad_output.sum(dim=(0, 1))
