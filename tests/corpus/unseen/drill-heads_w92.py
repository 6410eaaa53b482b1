import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    """切成多个头 (view)"""
    b, n, hidden = x.shape
    return torch.transpose(x.view(b, n, num_heads, hidden // num_heads), 1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    """先用 chunk 切开, 再 permute"""
    pieces = x.chunk(num_heads, dim=-1)
    stacked = torch.stack(pieces)  # (heads, b, n, head_dim)
    return stacked.permute(1, 0, 2, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return torch.transpose(x.unflatten(-1, (num_heads, x.shape[-1] // num_heads)), 1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, n, d = heads.shape
    # transpose 之后内存不连续, 所以要 contiguous
    return torch.transpose(heads, 1, 2).contiguous().view(b, n, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, n, d = heads.shape
    return torch.transpose(heads, 1, 2).reshape(b, n, h * d)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.transpose(heads, 1, 2).flatten(start_dim=2, end_dim=3)
