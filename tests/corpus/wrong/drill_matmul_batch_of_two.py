# wrong: drill-matmul batch-fixed line 19
import torch
from torch import Tensor, einsum, bmm


def by_operator(w: Tensor, v: Tensor) -> Tensor:
    return w @ v


def by_matmul(w: Tensor, v: Tensor) -> Tensor:
    return w.matmul(v)


def by_einsum(w: Tensor, v: Tensor) -> Tensor:
    return einsum("... i j, ... j d -> ... i d", w, v)


def by_bmm(w: Tensor, v: Tensor) -> Tensor:
    return bmm(w.flatten(0, 1), v.flatten(0, 1)).unflatten(0, (2, w.shape[1]))


def by_broadcast(w: Tensor, v: Tensor) -> Tensor:
    return torch.sum(w[..., None] * v[:, :, None], dim=-2)
