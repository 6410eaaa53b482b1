# wrong: drill-expand repeat-wrong-axis line 16
import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    own = key.unsqueeze(1).repeat(1, heads, 1, 1)
    own[:, head] = 0
    return own


def repeat_kv(key, repeats):
    return torch.repeat_interleave(key, repeats, dim=2)


def add_slopes(scores, slopes):
    return scores + slopes[:, None, None]


def distances(positions):
    return positions[None, :] - positions[:, None]
