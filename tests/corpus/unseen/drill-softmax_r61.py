"""Softmax the NumPy way."""
import torch
from torch import Tensor


def _wide(t: Tensor) -> Tensor:
    return t.double()


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    z = _wide(x)
    z = z - z.detach().amax(axis=dim, keepdims=True)
    e = torch.exp(z)
    return (e / e.sum(axis=dim, keepdims=True)).to(x.dtype)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    z = _wide(x)
    top = z.detach().amax(axis=dim, keepdims=True)
    out = top + torch.exp(z - top).sum(axis=dim, keepdims=True).log()
    return out.squeeze(dim).to(x.dtype)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    seen = (mask != 0).expand(scores.shape)
    # np.ma would do it; here by hand
    z = _wide(scores)
    top = torch.where(seen, z, -torch.inf).detach().amax(axis=-1, keepdims=True)
    top = torch.where(torch.isinf(top), 0.0, top)
    z = torch.where(seen, z - top, -torch.inf)
    e = torch.exp(z)
    total = e.sum(axis=-1, keepdims=True)
    total = torch.where(total == 0, 1.0, total)
    return (e / total).to(scores.dtype)
