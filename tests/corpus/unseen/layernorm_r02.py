# attn-kata: layernorm
from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    work = x.double() if x.dtype == torch.float64 else x.float()
    var, mean = torch.var_mean(work, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias.to(work.dtype), (work - mean) / (var + eps).sqrt(), weight.to(work.dtype)).to(x.dtype)


@torch.no_grad()
def layer_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    D = x.shape[-1]
    work = torch.float64 if x.dtype == torch.float64 else torch.float32
    # rows of features, as a kernel sees them
    X = x.reshape(-1, D).to(work)
    DY = grad_output.reshape(-1, D).to(work)
    W = weight.to(work)

    DX = torch.empty_like(X)
    DW = torch.zeros_like(W)
    DB = torch.zeros_like(W)
    rows_per_program = 128
    for lo in range(0, X.shape[0], rows_per_program):
        dy = DY[lo : lo + rows_per_program]
        xhat = X[lo : lo + rows_per_program].clone()
        xhat.sub_(xhat.mean(dim=1, keepdim=True))
        rstd = xhat.square().mean(dim=1, keepdim=True).add_(eps).rsqrt_()
        xhat.mul_(rstd)
        DW.add_((dy * xhat).sum(dim=0))
        DB.add_(dy.sum(dim=0))
        wdy = dy * W
        c1 = (xhat * wdy).mean(dim=1, keepdim=True)
        c2 = wdy.mean(dim=1, keepdim=True)
        torch.mul(wdy - (xhat * c1 + c2), rstd, out=DX[lo : lo + rows_per_program])
    return DX.view_as(x).to(x.dtype), DW.to(weight.dtype), DB.to(weight.dtype)
