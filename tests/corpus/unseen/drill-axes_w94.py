"""Axes by name: b batch, t length, h heads, d head_dim."""
import torch
from torch import Tensor


def _order(src: str, dst: str) -> tuple[int, ...]:
    return tuple(dst.index(axis) for axis in src)


def _pair(src: str, a: str, b: str) -> tuple[int, int]:
    return src.index(a), src.index(b)


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(*_pair("bthd", "t", "h"))


def by_permute(x: Tensor) -> Tensor:
    return x.permute(_order("bthd", "bhtd"))


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapaxes(x, *_pair("bthd", "t", "h"))


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim("bthd".index("h"), "bhtd".index("h"))


def swap_last(key: Tensor) -> Tensor:
    return key.permute(_order("bhtd", "bhdt"))


def swap_last_copy(key: Tensor) -> Tensor:
    return swap_last(key).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    return x.permute(_order("bthd", "hbtd"))


def heads_to_back(x: Tensor) -> Tensor:
    return x.permute(_order("hbtd", "bthd")).contiguous()
