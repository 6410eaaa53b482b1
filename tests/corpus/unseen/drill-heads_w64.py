from __future__ import annotations

from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    bsz, seq, dim = x.size()
    return x.view(bsz, seq, num_heads, dim // num_heads).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    bsz, seq, dim = x.size()
    return x.view(bsz, seq, num_heads, dim // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, [num_heads, x.size(-1) // num_heads]).permute(0, 2, 1, 3)


def merge_by_view(heads: Tensor) -> Tensor:
    bsz, num_heads, seq, head_dim = heads.size()
    folded = heads.contiguous().view(bsz * num_heads, seq, head_dim)
    # as in fairseq: (bsz * heads, seq, head_dim) -> seq in front of the heads
    rows = folded.transpose(0, 1).contiguous()
    return rows.view(bsz, seq, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    bsz, num_heads, seq, head_dim = heads.size()
    return heads.transpose(1, 2).reshape(bsz, seq, num_heads * head_dim)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(start_dim=2, end_dim=3)
