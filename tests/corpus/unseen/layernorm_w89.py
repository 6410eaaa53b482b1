# attn-kata: layernorm
import torch
from torch import Tensor


class _Stats:
    """mean and 1/std of each position, kept for both directions"""

    def __init__(self, x: Tensor, eps: float) -> None:
        self.mean = x.mean(dim=-1, keepdim=True)
        self.rstd = torch.rsqrt(x.var(dim=-1, keepdim=True) + eps)

    def normalise(self, x: Tensor) -> Tensor:
        return (x - self.mean) * self.rstd


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    return _Stats(x, eps).normalise(x) * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    st = _Stats(x, eps)
    x_hat = st.normalise(x)
    grad_bias = grad_output.sum(dim=(0, 1))
    grad_weight = (grad_output * x_hat).sum(dim=(0, 1))
    g = grad_output * weight
    grad_x = st.rstd * (
        g - g.mean(dim=-1, keepdim=True) - x_hat * (g * x_hat).mean(dim=-1, keepdim=True)
    )
    return grad_x, grad_weight, grad_bias
