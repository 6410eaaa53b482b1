"""Weights times values, five spellings. Our tensors come time-major, so shapes are named here once."""
import torch
from torch import Tensor


class Shapes:
    """weights (B, H, Q, K), values (B, H, K, D)."""

    def __init__(self, weights: Tensor, values: Tensor) -> None:
        self.batch, self.heads, self.queries, self.keys = weights.shape
        self.dim = values.size(-1)

    @property
    def context(self) -> tuple[int, int, int, int]:
        return self.batch, self.heads, self.queries, self.dim


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("b h q k, b h k d -> b h q d", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    # bmm takes three axes: heads are its batch
    shapes = Shapes(weights, values)
    context = torch.stack([torch.bmm(w, v) for w, v in zip(weights, values)])
    return context.view(shapes.context)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return weights.unsqueeze(4).mul(values.unsqueeze(2)).sum(3)
