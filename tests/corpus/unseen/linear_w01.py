# attn-kata: linear
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


# after fast_transformers/attention/linear_attention.py and causal_linear_attention.py


def elu_feature_map(x: Tensor) -> Tensor:
    return F.elu(x) + 1


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    dtype = query.dtype
    acc = torch.promote_types(dtype, torch.float32)
    Q = elu_feature_map(query.to(acc))
    K = elu_feature_map(key.to(acc))
    V = value.to(acc)
    # Compute the KV matrix, namely the dot product of keys and values
    KV = torch.einsum("nhsd,nhsm->nhmd", K, V)
    # Compute the normalizer
    Z = 1 / torch.einsum("nhld,nhd->nhl", Q, K.sum(dim=2))
    # Finally compute and return the new values
    return torch.einsum("nhld,nhmd,nhl->nhlm", Q, KV, Z).to(dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    dtype = query.dtype
    acc = torch.promote_types(dtype, torch.float32)
    Q = elu_feature_map(query.to(acc))
    K = elu_feature_map(key.to(acc))
    V = value.to(acc)
    # Compute the normalizers
    Z = 1 / torch.einsum("nhld,nhld->nhl", Q, K.cumsum(1))
    # Compute the unnormalized result
    states = torch.cumsum(K.unsqueeze(-1) * V.unsqueeze(-2), dim=2)
    V_new = torch.einsum("nhld,nhldm->nhlm", Q, states)
    return (V_new * Z.unsqueeze(-1)).to(dtype)
