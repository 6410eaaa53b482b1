import torch
from torch import Tensor


class RowStats:
    def __init__(self, x: Tensor, eps: float):
        self.x = x
        self.eps = eps

    @property
    def mean(self) -> Tensor:
        return self.x.mean(-1, keepdim=True)

    @property
    def std(self) -> Tensor:
        var = torch.var(self.x, dim=-1, unbiased=False, keepdim=True)
        return torch.sqrt(torch.clamp(var, min=self.eps))

    @property
    def normed(self) -> Tensor:
        return (self.x - self.mean) / self.std


def _lift(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    y = RowStats(_lift(x), eps).normed * _lift(weight) + _lift(bias)
    return y.to(x.dtype)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    stats = RowStats(_lift(x), eps)
    dy, y = _lift(grad_output), stats.normed
    dn = dy * _lift(weight)
    dx = (dn - dn.mean(-1, True) - y * (dn * y).mean(-1, True)) / stats.std
    reduce_rows = lambda t: t.flatten(0, 1).sum(0).to(weight.dtype)
    return dx.to(x.dtype), reduce_rows(dy * y), reduce_rows(dy)
