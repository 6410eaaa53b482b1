# right: layernorm
import torch
from torch import Tensor


def _stats(rows: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    width = rows.shape[1]
    centre = torch.einsum("nd->n", rows)[:, None] / width
    off = rows - centre
    power = torch.einsum("nd,nd->n", off, off)[:, None] / width
    return off, torch.rsqrt(power + eps)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    off, inv = _stats(x.reshape(-1, x.shape[-1]), eps)
    return torch.addcmul(bias, off * inv, weight).reshape(x.shape)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    rows, grads = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, x.shape[-1])
    off, inv = _stats(rows, eps)
    hat = off * inv
    inner = torch.einsum("nd,d->nd", grads, weight)
    width = rows.shape[1]
    first = torch.einsum("nd->n", inner)[:, None] / width
    second = torch.einsum("nd,nd->n", inner, hat)[:, None] / width
    grad_x = (inner - first - hat * second) * inv
    return grad_x.view_as(x), torch.einsum("nd,nd->d", grads, hat), torch.einsum("nd->d", grads)
