import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    n_rows, n_steps, n_cols = x.shape
    cube = x.view(n_rows, n_steps, num_heads, n_cols // num_heads)
    return cube.swapaxes(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    # np.split along the columns, then a new axis for the parts
    parts = torch.chunk(x, num_heads, dim=-1)
    cube = torch.stack(parts, dim=2)  # rows, steps, heads, cols
    return cube.permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    cube = x.unflatten(dim=-1, sizes=(num_heads, -1))
    return cube.swapaxes(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    n_rows, n_heads, n_steps, n_cols = heads.shape
    cube = heads.swapaxes(1, 2).contiguous()
    return cube.view(n_rows, n_steps, n_heads * n_cols)


def merge_by_reshape(heads: Tensor) -> Tensor:
    n_rows, n_heads, n_steps, n_cols = heads.shape
    return heads.swapaxes(1, 2).reshape(n_rows, n_steps, n_heads * n_cols)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.swapaxes(1, 2).flatten(2, 3)
