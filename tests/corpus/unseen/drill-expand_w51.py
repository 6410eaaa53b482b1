import torch


def share_keys(key, heads):
    b, n, d = key.shape
    return key.unsqueeze(1).expand(b, heads, n, d)


def silence_head(key, heads, head):
    out = key.unsqueeze(1).repeat(1, heads, 1, 1)
    out[:, head].zero_()
    return out


def repeat_kv(key, repeats):
    b, h, n, d = key.shape
    copies = torch.stack([key for _ in range(repeats)], dim=1)
    return copies.reshape(b, h * repeats, n, d)


def add_slopes(scores, slopes):
    return scores + slopes.view(-1, 1, 1)


def distances(positions):
    return positions.unsqueeze(0) - positions.unsqueeze(1)
