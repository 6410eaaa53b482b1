from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    *front, width = x.shape
    return x.view(*front, num_heads, width // num_heads).swapaxes(-3, -2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    head_dim = x.shape[-1] // num_heads
    return x.unfold(-1, head_dim, head_dim).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (-1, num_heads)).movedim(-1, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    side_by_side = heads.swapaxes(1, 2).contiguous()
    return side_by_side.view(*side_by_side.shape[:2], -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    return heads.permute(0, 2, 1, 3).reshape(batch, length, num_heads * head_dim)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.movedim(1, 2).flatten(-2)
