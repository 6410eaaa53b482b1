from typing import Optional
import torch
from torch import Tensor, device as Device, dtype as DType


def slopes(heads: int) -> Tensor:
    base: int = 2 ** (heads.bit_length() - 1)
    powers: Tensor = torch.arange(1, base + 1).mul(-8 / base)
    if base != heads:
        odd: Tensor = torch.arange(1, 2 * base, 2)[: heads - base].mul(-8 / (2 * base))
        powers = torch.cat((powers, odd))
    return torch.pow(2.0, powers)


def _distances(
    q_len: int, k_len: int, dtype: DType = torch.float32, device: Optional[Device] = None
) -> Tensor:
    pos: Tensor = torch.arange(k_len, dtype=dtype, device=device)
    return pos[k_len - q_len :].unsqueeze(-1) - pos


def _future(q_len: int, k_len: int, device: Optional[Device] = None) -> Tensor:
    everything: Tensor = torch.ones(q_len, k_len, dtype=torch.bool, device=device)
    return everything.triu(k_len - q_len + 1)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    dist: Tensor = _distances(query_length, key_length)
    table: Tensor = torch.einsum("h,qk->hqk", slopes(heads).neg(), dist)
    return table.masked_fill(_future(query_length, key_length), float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    h, q_len, width = query.shape[1:]
    k_len: int = key.shape[2]
    wide: DType = torch.promote_types(query.dtype, torch.float32)
    dist: Tensor = _distances(q_len, k_len, query.dtype, query.device)
    m: Tensor = slopes(h).to(query.device, wide).view(h, 1, 1)
    scores: Tensor = torch.einsum("bhqd,bhkd->bhqk", query.to(wide), key.to(wide)) / width**0.5
    scores = (scores - m * dist.to(wide)).masked_fill(_future(q_len, k_len, query.device), float("-inf"))
    return torch.einsum("bhqk,bhkv->bhqv", scores.softmax(dim=-1), value.to(wide)).to(query.dtype)
