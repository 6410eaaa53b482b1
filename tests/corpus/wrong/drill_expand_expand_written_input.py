# wrong: drill-expand
import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    # the same as above, and then one head off
    copies = share_keys(key, heads)
    copies[:, head] = 0
    return copies


def repeat_kv(key, repeats):
    return torch.repeat_interleave(key, repeats, 1)


def add_slopes(scores, slopes):
    return scores + slopes[None, :, None, None]


def distances(positions):
    return positions[None, :] - positions[:, None]
