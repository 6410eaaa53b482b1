import torch
from torch import Tensor


def _dims(x: Tensor, num_heads: int) -> tuple[int, int, int]:
    batch, length, width = x.shape
    head_dim, rest = divmod(width, num_heads)
    if rest:
        raise ValueError(f"{width} is no multiple of {num_heads}")
    return batch, length, head_dim


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, head_dim = _dims(x, num_heads)
    return x.view(batch, length, num_heads, head_dim).movedim(2, 1)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    # a window of head_dim that jumps by head_dim: exactly the heads, and still x's memory
    *_, head_dim = _dims(x, num_heads)
    return x.unfold(-1, head_dim, head_dim).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).swapaxes(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    side_by_side = heads.swapaxes(1, 2).contiguous()
    return side_by_side.view(*side_by_side.shape[:2], -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, l, d = heads.shape
    return torch.reshape(heads.movedim(1, 2), (b, l, h * d))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.transpose(-3, -2), start_dim=-2, end_dim=-1)
