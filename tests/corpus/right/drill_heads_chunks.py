# right: drill-heads
import torch


def split_by_view(x, num_heads):
    b, t, c = x.shape
    # fold the batch first, for no good reason but it is a view as well
    y = x.view(b, t * num_heads, c // num_heads)
    return y.unsqueeze(1).view(b, t, num_heads, -1).transpose(2, 1)


def split_by_permute(x, num_heads):
    pieces = x[..., None].view(*x.shape[:-1], num_heads, -1)
    return torch.permute(pieces, dims=(0, 2, 1, 3))


def split_by_unflatten(x, num_heads):
    return torch.transpose(x.unflatten(2, [num_heads, x.size(2) // num_heads]), 2, 1)


def merge_by_view(heads):
    b, h, t, d = heads.shape
    out = heads.new_empty(b, t, h * d)
    out = torch.cat([heads[:, i] for i in range(h)], dim=-1)
    return out.view(b, t, h * d)


def merge_by_reshape(heads):
    b, h, t, d = heads.shape
    out = torch.stack(heads.unbind(1), dim=2)
    return out.reshape(b, t, -1)


def merge_by_flatten(heads):
    return torch.stack(list(heads.unbind(dim=1)), dim=-2).flatten(2)
