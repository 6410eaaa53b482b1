import torch
from torch import Tensor

# (batch, length, hidden) <-> (batch, heads, length, head)


def split_by_view(x, num_heads):
    batch_size = x.size(0)
    d_k = x.size(-1) // num_heads
    return x.view(batch_size, -1, num_heads, d_k).transpose(1, 2)


def split_by_permute(x, num_heads):
    new_x_shape = x.size()[:-1] + (num_heads, x.size(-1) // num_heads)
    x = x.view(*new_x_shape)
    return x.permute(0, 2, 1, 3).contiguous()


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    x = torch.unflatten(x, dim=2, sizes=(num_heads, x.shape[2] // num_heads))
    return torch.transpose(x, 1, 2)


def merge_by_view(heads):
    heads = heads.permute(0, 2, 1, 3).contiguous()
    new_shape = heads.size()[:-2] + (heads.size(-2) * heads.size(-1),)
    return heads.view(new_shape)


def merge_by_reshape(heads):
    heads = torch.transpose(heads, 1, 2)
    return torch.reshape(heads, (heads.shape[0], heads.shape[1], -1))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(torch.transpose(heads, 1, 2), 2)
