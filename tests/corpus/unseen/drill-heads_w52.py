def split_by_view(x, num_heads):
    return x.view(x.size(0), x.size(1), num_heads, -1).swapaxes(1, 2)


def split_by_permute(x, num_heads):
    return x.reshape(x.size(0), x.size(1), num_heads, -1).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(2, (num_heads, x.size(2) // num_heads)).swapaxes(1, 2)


def merge_by_view(heads):
    B, H, L, D = heads.size()
    return heads.swapaxes(1, 2).contiguous().view(B, L, H * D)


def merge_by_reshape(heads):
    B, H, L, D = heads.size()
    return heads.movedim(1, -1).reshape(B, L, H * D)


def merge_by_flatten(heads):
    return heads.permute(0, 2, 1, 3).flatten(2, 3)
