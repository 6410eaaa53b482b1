# wrong: layernorm grad-weight-averaged line 20
# fair: grad-weight-averaged 21
import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    centre = x.sub(x.mean(-1, keepdim=True))
    scale = centre.square().mean(-1, keepdim=True).add(eps).sqrt()
    return centre.div(scale).mul(weight).add(bias)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    centre = x.sub(x.mean(-1, keepdim=True))
    scale = centre.square().mean(-1, keepdim=True).add(eps).sqrt()
    hat = centre.div(scale)
    tokens = x.shape[0] * x.shape[1]
    upstream = grad_output.reshape(tokens, -1)
    rows = hat.reshape(tokens, -1)
    grad_weight = torch.mean(upstream * rows, dim=0)
    grad_bias = torch.mean(upstream, dim=0)
    through = grad_output.mul(weight)
    grad_x = through.sub(through.mean(-1, keepdim=True)).sub(hat.mul(through.mul(hat).mean(-1, keepdim=True)))
    return grad_x.div(scale), grad_weight, grad_bias
