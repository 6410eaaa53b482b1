import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    # values on the left: (W V)^T = V^T W^T
    return (values.mT @ weights.mT).mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    # each query as a row vector of its own
    rows = weights.unsqueeze(-2)                                  # b h q 1 k
    return torch.matmul(rows, values.unsqueeze(-3)).squeeze(-2)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    # the sublist form: axes by number, no letters
    B, H, Q, K, D = range(5)
    return torch.einsum(weights, [B, H, Q, K], values, [B, H, K, D], [B, H, Q, D])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    folded = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return folded.unflatten(0, weights.shape[:2])


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # b h q k 1  *  b h 1 k d
    return torch.multiply(weights[..., None], values[..., None, :, :]).sum(dim=-2)
