from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    B, T, C = x.size()
    return x.view(B, T, num_heads, C // num_heads).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    B, T, C = x.size()
    return x.reshape(B, T, num_heads, C // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, x.size(-1) // num_heads)).permute(0, 2, 1, 3)


def merge_by_view(heads: Tensor) -> Tensor:
    B, nh, T, hs = heads.size()
    return heads.permute(0, 2, 1, 3).contiguous().view(B, T, nh * hs)


def merge_by_reshape(heads: Tensor) -> Tensor:
    B, nh, T, hs = heads.size()
    return heads.reshape(B, T, nh * hs)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.permute(0, 2, 1, 3).flatten(2, 3)
