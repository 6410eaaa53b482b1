from __future__ import annotations

import functools
import itertools

import torch
from torch import Tensor

SPLITS: dict = {}
MERGES: dict = {}


def listed_in(registry):
    def decorate(fn):
        registry[fn.__name__.rpartition("_")[2]] = fn
        return fn

    return decorate


def expects(ndim: int):
    def decorate(fn):
        @functools.wraps(fn)
        def checked(heads: Tensor, *rest, **named) -> Tensor:
            assert heads.dim() == ndim, f"{fn.__name__} wants {ndim} axes, got {tuple(heads.shape)}"
            return fn(heads, *rest, **named)

        return checked

    return decorate


@listed_in(SPLITS)
def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    return x.view(batch, length, num_heads, width // num_heads).transpose(1, 2)


@listed_in(SPLITS)
def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    return x.view(batch, length, num_heads, width // num_heads).permute(0, 2, 1, 3)


@listed_in(SPLITS)
def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, -1)).transpose(1, 2)


@listed_in(MERGES)
@expects(4)
def merge_by_view(heads: Tensor) -> Tensor:
    by_place = heads.transpose(1, 2).contiguous()
    return by_place.view(*by_place.shape[:2], by_place.shape[2] * by_place.shape[3])


@listed_in(MERGES)
@expects(4)
def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, number, length, head_dim = heads.shape
    return heads.transpose(1, 2).reshape(batch, length, number * head_dim)


@listed_in(MERGES)
@expects(4)
def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(start_dim=2)


def _check() -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)
    for split, merge in itertools.product(SPLITS.values(), MERGES.values()):
        assert torch.equal(merge(split(x, 2)), x), (split.__name__, merge.__name__)


_check()
