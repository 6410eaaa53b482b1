import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden_dim = x.shape
    cut = x.view(batch, length, num_heads, hidden_dim // num_heads)
    return cut.movedim(-2, 1)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    width = x.size(-1) // num_heads
    # windows side by side: (batch, length, heads, head_dim)
    return x.unfold(-1, width, width).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.mT.unflatten(1, (num_heads, -1)).mT


def merge_by_view(heads: Tensor) -> Tensor:
    out = heads.swapaxes(1, 2).contiguous()
    return out.view(*out.shape[:2], out.shape[2] * out.shape[3])


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, t, d = heads.shape
    return torch.reshape(torch.movedim(heads, 1, 2), (b, t, h * d))


def merge_by_flatten(heads: Tensor) -> Tensor:
    # (batch, heads, head_dim, length): features and heads are neighbours here too
    return heads.mT.flatten(1, 2).mT
