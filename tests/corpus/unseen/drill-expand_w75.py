import torch as th


def share_keys(key, heads):
    """stride 0 along the head axis"""
    return key.unsqueeze(-3).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    before = key.unsqueeze(1).repeat(1, head, 1, 1)
    zero = th.zeros_like(key).unsqueeze(1)
    after = key.unsqueeze(1).repeat(1, heads - head - 1, 1, 1)
    return th.cat([before, zero, after], dim=1)


def repeat_kv(key, repeats):
    B, H, L, D = key.shape
    grouped = key.unsqueeze(2).repeat(1, 1, repeats, 1, 1)
    return grouped.view(B, H * repeats, L, D)


def add_slopes(scores, slopes):
    return scores + slopes[:, None]


def distances(positions):
    row = positions.reshape(-1, 1)
    col = positions.reshape(1, -1)
    return col - row
