import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden = x.shape
    return torch.movedim(x.view(batch, length, num_heads, hidden // num_heads), -2, -3)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    # windows as wide as a head, one behind another: the width is cut without a copy
    head_dim = x.shape[-1] // num_heads
    return x.unfold(-1, head_dim, head_dim).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    # features first, cut them there, and turn back
    return x.mT.unflatten(1, (num_heads, -1)).mT


def merge_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    rows = torch.empty(batch, length, num_heads, head_dim, dtype=heads.dtype, device=heads.device)
    return rows.copy_(heads.swapaxes(1, 2)).view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    return heads.mT.reshape(batch, num_heads * head_dim, length).mT


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.moveaxis(1, -2).flatten(start_dim=-2)
