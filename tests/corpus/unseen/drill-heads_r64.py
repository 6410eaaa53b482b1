from __future__ import annotations

import torch
from torch import Tensor, nn


class Permute(nn.Module):
    """keras.layers.Permute: the batch is not counted, axes begin at 1."""

    def __init__(self, dims: tuple[int, ...]) -> None:
        super().__init__()
        self.dims = (0, *dims)

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.permute(inputs, self.dims)


class Reshape(nn.Module):
    def __init__(self, target_shape: tuple[int, ...]) -> None:
        super().__init__()
        self.target_shape = target_shape

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.reshape(inputs, (inputs.shape[0], *self.target_shape))


swap_heads = Permute((2, 1, 3))


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(*x.shape[:-1], num_heads, -1).transpose(-3, -2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    length, units = x.shape[1:]
    model = nn.Sequential(Reshape((length, num_heads, units // num_heads)), swap_heads)
    return model(x)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return swap_heads(nn.Unflatten(-1, (num_heads, x.shape[-1] // num_heads))(x))


def merge_by_view(heads: Tensor) -> Tensor:
    merged = swap_heads(heads).contiguous()
    return merged.view(*merged.shape[:2], -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    _, num_heads, length, depth = heads.shape
    return nn.Sequential(swap_heads, Reshape((length, num_heads * depth)))(heads)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return nn.Sequential(swap_heads, nn.Flatten(start_dim=2))(heads)
