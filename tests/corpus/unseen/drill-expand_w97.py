import torch


def share_keys(key, heads):
    return key[:, None].expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    keep = torch.arange(heads, device=key.device) != head
    return key[:, None] * keep[:, None, None]


def repeat_kv(key, repeats):
    if repeats == 1:
        return key
    b, n_kv, t, d = key.shape
    return (
        key[:, None, :, :, :]
        .expand(b, repeats, n_kv, t, d)
        .reshape(b, n_kv * repeats, t, d)
    )


def add_slopes(scores, slopes):
    return scores + slopes[:, None, None]


def distances(positions):
    return positions[None, :] - positions[:, None]
