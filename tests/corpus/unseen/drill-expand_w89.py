import torch


def share_keys(key, heads):
    return key[:, None].expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    gate = torch.ones(heads, dtype=key.dtype, device=key.device)
    gate[head] = 0
    return key[:, None] * gate[:, None, None]


def repeat_kv(key, repeats):
    if repeats == 1:
        return key
    b, kv, l, d = key.shape
    return key[:, :, None].expand(b, kv, repeats, l, d).reshape(b, kv * repeats, l, d)


def add_slopes(scores, slopes):
    return scores + slopes[:, None, None]


def distances(positions):
    n = len(positions)
    table = torch.zeros(n, n, device=positions.device)
    table += positions[None, :]
    table -= positions[:, None]
    return table.to(torch.int64)
