# wrong: drill-expand tokens-interleaved line 13
# fair: tokens-interleaved 12
import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    batch, length, width = key.shape
    own = torch.repeat_interleave(key, heads, dim=1).view(batch, heads, length, width)
    own[:, head] = 0
    return own


def repeat_kv(key, repeats):
    return torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores, slopes):
    return scores + slopes[:, None, None]


def distances(positions):
    return positions[None, :] - positions[:, None]
