import torch

# b batch, n positions, h heads, w width of one head


def split_by_view(x, num_heads):
    b, n, _ = x.shape
    return x.view((b, n, num_heads, -1)).swapdims(1, 2)


def split_by_permute(x, num_heads):
    return torch.permute(x.unflatten(-1, (num_heads, -1)), (0, 2, 1, 3))


def split_by_unflatten(x, num_heads):
    x = torch.unflatten(x, dim=-1, sizes=(-1, num_heads))
    return torch.movedim(x, -1, 1)


def merge_by_view(heads):
    b, h, n, w = heads.shape
    side_by_side = torch.empty_like(heads.swapdims(1, 2), memory_format=torch.contiguous_format)
    side_by_side = side_by_side.copy_(heads.swapdims(1, 2))
    return side_by_side.view((b, n, h * w))


def merge_by_reshape(heads):
    b, h, n, w = heads.shape
    return torch.reshape(torch.moveaxis(heads, 1, 2), (b, n, h * w))


def merge_by_flatten(heads):
    return torch.flatten(torch.moveaxis(heads, 1, 2), start_dim=-2)
