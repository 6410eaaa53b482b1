# attn-kata: drill-matmul
from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("bhik,bhkj->bhij", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    B, H, M, K = weights.shape
    N = values.shape[-1]
    C = torch.empty(B * H, M, N, dtype=weights.dtype, device=weights.device)
    C.copy_(torch.bmm(weights.reshape(B * H, M, K), values.reshape(B * H, K, N)))
    return C.view(B, H, M, N)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # accumulate in single precision, as a tensor core does
    products = weights.unsqueeze(-1) * values.unsqueeze(-3)
    return products.sum(dim=-2, dtype=torch.float32)
