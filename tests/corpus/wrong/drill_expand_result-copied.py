# wrong: drill-expand result-copied line 6
import torch


def share_keys(key, heads):
    return key.unsqueeze(1).repeat(1, heads, 1, 1)


def silence_head(key, heads, head):
    keep = torch.arange(heads, device=key.device) != head
    return key[:, None] * keep.view(1, -1, 1, 1)


def repeat_kv(key, repeats):
    groups = key.unsqueeze(2).repeat(1, 1, repeats, 1, 1)
    return groups.flatten(1, 2)


def add_slopes(scores, slopes):
    return scores + slopes[None, :, None, None]


def distances(positions):
    return positions[None, :] - positions[:, None]
