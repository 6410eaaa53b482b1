import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    b, n, d = key.shape
    own = share_keys(key, heads).reshape(b, heads, n, d)
    own[:, head].zero_()
    return own


def repeat_kv(key, repeats):
    b, g, n, d = key.shape
    return key.unsqueeze(2).expand(b, g, repeats, n, d).reshape(b, g * repeats, n, d)


def add_slopes(scores, slopes):
    return torch.add(scores, slopes[..., None, None])


def distances(positions):
    return positions.sub(positions.unsqueeze(-1))
