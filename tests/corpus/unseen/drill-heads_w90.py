from __future__ import annotations

from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, hidden = x.size()
    return x.view(batch_size, seq_len, num_heads, hidden // num_heads).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, hidden = x.size()
    return x.reshape(batch_size, seq_len, num_heads, hidden // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    parts = x.unflatten(-1, (-1, num_heads))
    return parts.movedim(-1, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    batch_size, num_heads, seq_len, head_dim = heads.size()
    return heads.transpose(1, 2).contiguous().view(batch_size, seq_len, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch_size, _, seq_len, _ = heads.size()
    return heads.transpose(1, 2).reshape(batch_size, seq_len, -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)
