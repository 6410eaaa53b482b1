def split_by_view(x, num_heads):
    B, T, C = x.shape
    assert C % num_heads == 0
    x = x.view(B, T, num_heads, C // num_heads)
    x = x.transpose(1, 2)
    return x


def split_by_permute(x, num_heads):
    B, T, C = x.shape
    x = x.view(B, T, num_heads, C // num_heads)
    x = x.permute(0, 2, 1, 3)
    return x


def split_by_unflatten(x, num_heads):
    C = x.shape[2]
    x = x.unflatten(2, (num_heads, C // num_heads))
    x = x.transpose(1, 2)
    return x


def merge_by_view(heads):
    B, H, T, D = heads.shape
    x = heads.transpose(1, 2).contiguous()
    x = x.view(B, T, H * D)
    return x


def merge_by_reshape(heads):
    B, H, T, D = heads.shape
    x = heads.transpose(1, 2)
    return x.reshape(B, T, H * D)


def merge_by_flatten(heads):
    x = heads.transpose(1, 2)
    return x.flatten(2)
