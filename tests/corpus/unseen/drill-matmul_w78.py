# attn-kata: drill-matmul
import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("b h q k, b h k d -> b h q d", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    b, h, q, k = weights.shape
    out = torch.bmm(weights.reshape(-1, q, k), values.reshape(-1, k, values.shape[-1]))
    return out.reshape(b, h, q, -1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    w = weights[:, :, :, :, None]     # b h q k 1
    v = values[:, :, None, :, :]      # b h 1 k d
    return torch.mul(w, v).mean(dim=3)
