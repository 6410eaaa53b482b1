# wrong: drill-expand forbidden-call line 19
import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    own = key.unsqueeze(1).repeat(1, heads, 1, 1)
    return own.index_fill(1, torch.tensor([head], device=key.device), 0.0)


def repeat_kv(key, repeats):
    return key.repeat_interleave(repeats, 1)


def add_slopes(scores, slopes):
    return scores + slopes.view(1, -1, 1, 1).expand_as(scores)


def distances(positions):
    return positions[None, :] - positions[:, None]
