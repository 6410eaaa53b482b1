import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    context = weights @ values
    return context


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    context = torch.matmul(weights, values)
    return context


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    context = torch.einsum("b h i j, b h j d -> b h i d", weights, values)
    return context


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    bsz, n_head, tgt, src = weights.shape
    w = weights.reshape(bsz * n_head, tgt, src)
    v = values.reshape(bsz * n_head, src, -1)
    context = torch.bmm(w, v)
    return context.view(n_head, bsz, tgt, -1).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    product = weights[:, :, :, :, None] * values[:, :, None, :, :]
    return product.sum(3)
