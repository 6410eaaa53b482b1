import torch

# cut, move | move, glue

cut_view = lambda x, h: x.view(x.size(0), x.size(1), h, x.size(2) // h)
to_front = lambda t: t.movedim(2, 1)
to_back = lambda t: t.movedim(1, -1)


def split_by_view(x, num_heads):
    return to_front(cut_view(x, num_heads))


def split_by_permute(x, num_heads):
    return cut_view(x, num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return to_front(x.unflatten(2, (num_heads, -1)))


def merge_by_view(heads):
    b, h, t, d = heads.shape
    return heads.transpose(1, 2).contiguous().view(b, t, h * d)


def merge_by_reshape(heads):
    b, h, t, d = heads.shape
    return heads.transpose(1, 2).reshape(b, t, h * d)


def merge_by_flatten(heads):
    return to_back(heads).flatten(-2)
