import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    out = key.unsqueeze(1).repeat(1, heads, 1, 1)
    out[:, head] = 0
    return out


def repeat_kv(key, repeats):
    return torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores, slopes):
    return scores + slopes.view(1, -1, 1, 1)


def distances(positions):
    return positions.unsqueeze(0) - positions.unsqueeze(1)
