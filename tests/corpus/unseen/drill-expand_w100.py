import torch


def share_keys(key, heads):
    b, n, d = key.shape
    return torch.broadcast_to(key[:, None], (b, heads, n, d))


def silence_head(key, heads, head):
    out = share_keys(key, heads).clone()
    out[:, head] = 0
    return out


def repeat_kv(key, repeats):
    b, h, n, d = key.shape
    return key[:, :, None].expand(b, h, repeats, n, d).reshape(b, h * repeats, n, d)


def add_slopes(scores, slopes):
    scores += slopes.view(-1, 1, 1)
    return scores


def distances(positions):
    return torch.vmap(lambda here: positions - here)(positions)
