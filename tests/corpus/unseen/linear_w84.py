from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def elu_feature_map(x: Tensor) -> Tensor:
    return F.elu(x) + 1


def normalizer(q: Tensor, k: Tensor) -> Tensor:
    """1 / (phi(q) . sum phi(k))"""
    return 1.0 / torch.einsum("bhld,bhd->bhl", q, k.sum(dim=2))


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    Q, K = elu_feature_map(query), elu_feature_map(key)
    KV = torch.einsum("bhsd,bhsm->bhdm", K, value)
    Z = normalizer(Q, K)
    return torch.einsum("bhld,bhdm,bhl->bhlm", Q, KV, Z)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    Q, K = elu_feature_map(query), elu_feature_map(key)
    states = torch.einsum("bhld,bhlm->bhldm", K, value).cumsum(dim=2)
    numerator = torch.einsum("bhld,bhldm->bhlm", Q, states)
    Z = normalizer(Q, K)
    return numerator * Z.unsqueeze(-1)
