# Splitting and merging heads, three ways each.

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden_dim = x.shape
    head_dim = hidden_dim // num_heads
    # cut the width, the heads come in front
    x = x.view(batch, length, num_heads, head_dim)
    x = x.transpose(1, 2)
    return x


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden_dim = x.shape
    # (batch, length, heads, head_dim)
    x = x.reshape(batch, length, num_heads, hidden_dim // num_heads)
    # (batch, heads, length, head_dim)
    return torch.permute(x, (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    # the last axis becomes two
    x = torch.unflatten(x, -1, (num_heads, x.shape[-1] // num_heads))
    return torch.swapaxes(x, 1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    # view needs the memory in order
    x = heads.swapaxes(1, 2).contiguous()
    return x.view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    x = heads.transpose(2, 1)
    return x.reshape(batch, length, num_heads * head_dim)


def merge_by_flatten(heads: Tensor) -> Tensor:
    # (batch, length, heads, head_dim), then the last two become one
    x = torch.transpose(heads, 1, 2)
    return torch.flatten(x, start_dim=2)
