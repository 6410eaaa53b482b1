from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Stats:
    """What a kernel would keep of the forward pass: two numbers for each row."""

    mu: Tensor
    rstd: Tensor

    @staticmethod
    def of(rows: Tensor, eps: float) -> "Stats":
        var, mu = torch.var_mean(rows, dim=1, correction=0, keepdim=True)
        return Stats(mu, (var + eps) ** -0.5)

    def apply(self, rows: Tensor) -> Tensor:
        return (rows - self.mu) * self.rstd


def _rows(t: Tensor) -> Tensor:
    return t.reshape(-1, t.size(-1)).to(torch.double if t.dtype == torch.double else torch.float)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    r = _rows(x)
    y = Stats.of(r, eps).apply(r) * weight + bias
    return y.view(x.shape).to(x.dtype)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    r, dy = _rows(x), _rows(grad_output)
    st = Stats.of(r, eps)
    xhat = st.apply(r)
    n = r.size(1)

    dxhat = dy * weight
    dvar = (dxhat * (r - st.mu)).sum(1, keepdim=True) * -0.5 * st.rstd ** 3
    dmu = -(dxhat * st.rstd).sum(1, keepdim=True)
    dx = dxhat * st.rstd + dvar * 2 / n * (r - st.mu) + dmu / n

    dweight = torch.mul(dy, xhat).t().sum(1)
    dbias = dy.new_ones(1, dy.size(0)).mm(dy).squeeze(0)
    return dx.view_as(x).type_as(x), dweight.type_as(weight), dbias.type_as(weight)
