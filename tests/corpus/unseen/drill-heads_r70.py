# attn-kata: drill-heads
from torch import Tensor


def _width(x: Tensor, n: int) -> int:
    w, rest = divmod(x.size(-1), n)
    assert rest == 0
    return w


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(*x.shape[:-1], num_heads, _width(x, num_heads)).movedim(2, 1)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return x.reshape(*x.shape[:-1], num_heads, _width(x, num_heads)).permute((0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(dim=-1, sizes=(num_heads, -1)).swapdims(-3, -2)


def merge_by_view(heads: Tensor) -> Tensor:
    moved = heads.transpose(-3, -2).contiguous()
    return moved.view(moved.size(0), moved.size(1), moved.size(2) * moved.size(3))


def merge_by_reshape(heads: Tensor) -> Tensor:
    moved = heads.permute(0, 2, 1, 3)
    return moved.reshape(heads.size(0), heads.size(2), -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.swapaxes(1, 2).flatten(start_dim=-2, end_dim=-1)
