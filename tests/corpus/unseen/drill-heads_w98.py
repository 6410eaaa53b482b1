def _dims(x, num_heads):
    b, t, c = x.shape
    return b, t, num_heads, c // num_heads


def split_by_view(x, num_heads):
    b, t, n, h = _dims(x, num_heads)
    return x.view(b, t, n, h).transpose(1, 2)


def split_by_permute(x, num_heads):
    return x.reshape(_dims(x, num_heads)).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (-1, num_heads)).transpose(1, 2)


def merge_by_view(heads):
    b, n, t, h = heads.shape
    return heads.transpose(1, 2).contiguous().view(b, t, n * h)


def merge_by_reshape(heads):
    b, n, t, h = heads.shape
    return heads.transpose(1, 2).reshape(b, t, n * h)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(2)
