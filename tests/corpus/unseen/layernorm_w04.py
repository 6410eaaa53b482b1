# attn-kata: layernorm
from __future__ import annotations

import torch
from torch import Tensor


# 前向：y = (x - mean) / sqrt(var + eps) * weight + bias
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    t = x if x.dtype == torch.float64 else x.float()
    mean = t.mean(dim=2, keepdim=True)
    var = t.var(dim=2, unbiased=False, keepdim=True)
    out = (t - mean) / torch.sqrt(var + eps) * weight + bias
    return out.to(x.dtype)


# 反向：手推公式 dx = (1/N) * rstd * (N*dxhat - sum(dxhat) - xhat * sum(dxhat*xhat))
def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.no_grad():
        t = x if x.dtype == torch.float64 else x.float()
        g = grad_output.to(t.dtype)
        N = t.size(1)
        mean = t.mean(dim=2, keepdim=True)
        rstd = 1.0 / torch.sqrt(t.var(dim=2, unbiased=False, keepdim=True) + eps)
        xhat = (t - mean) * rstd

        dxhat = g * weight.to(t.dtype)
        s1 = dxhat.sum(dim=2, keepdim=True)
        s2 = (dxhat * xhat).sum(dim=2, keepdim=True)
        dx = rstd / N * (N * dxhat - s1 - xhat * s2)

        dweight = (g * xhat).sum(dim=1).sum(dim=0)
        dbias = g.sum(dim=1).sum(dim=0)
    return dx.to(x.dtype), dweight.to(weight.dtype), dbias.to(weight.dtype)
