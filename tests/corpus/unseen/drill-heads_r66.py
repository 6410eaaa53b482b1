import torch
from torch.func import vmap

# What is done to one sample; the batch is vmap's business.


def split_by_view(x, num_heads):
    return vmap(lambda s: s.view(s.size(0), num_heads, s.size(1) // num_heads).transpose(0, 1))(x)


def split_by_permute(x, num_heads):
    cut = lambda s: s.unflatten(1, (num_heads, s.size(1) // num_heads)).permute(1, 0, 2)
    return vmap(cut)(x)


def split_by_unflatten(x, num_heads):
    # cut, and let vmap put the heads where they belong
    return vmap(lambda h: h, in_dims=2, out_dims=1)(x.unflatten(2, (num_heads, -1)))


def merge_by_view(heads):
    def one(h):
        rows = h.transpose(0, 1).contiguous()
        return rows.view(rows.size(0), rows.size(1) * rows.size(2))
    return vmap(one)(heads)


def merge_by_reshape(heads):
    return vmap(lambda h: h.movedim(0, 1).reshape(h.size(1), h.size(0) * h.size(2)))(heads)


def merge_by_flatten(heads):
    # position by position: (heads, head_dim) becomes one row
    position = lambda h: h.flatten()
    return vmap(vmap(position, in_dims=1, out_dims=0))(heads)
