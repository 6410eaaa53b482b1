import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    h = x.to(torch.promote_types(torch.float32, x.dtype))
    centered = h - h.mean(dim=-1, keepdim=True)
    with torch.no_grad():  # statistics, nothing to learn here
        scale = (centered.pow(2).mean(dim=-1, keepdim=True) + eps).rsqrt()
    out = centered * scale * weight.to(h.dtype) + bias.to(h.dtype)
    return out.to(x.dtype)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    """dx = s · (I − 1/n − x̂x̂ᵀ/n) · (w ∘ dy)"""
    h = x.to(torch.promote_types(torch.float32, x.dtype))
    dy = grad_output.to(h.dtype)
    n = h.size(-1)
    h = h - h.mean(dim=-1, keepdim=True)
    s = (h.pow(2).mean(dim=-1, keepdim=True) + eps).rsqrt()
    h = h * s
    wdy = weight.to(h.dtype) * dy
    mean_part = wdy.sum(-1, keepdim=True)
    var_part = torch.linalg.vecdot(wdy, h, dim=-1).unsqueeze(-1) * h
    dx = s / n * (n * wdy - mean_part - var_part)
    flat_dy, flat_h = dy.reshape(-1, n), h.reshape(-1, n)
    return dx.to(x.dtype), torch.sum(flat_dy * flat_h, 0).to(weight.dtype), flat_dy.sum(0).to(weight.dtype)
