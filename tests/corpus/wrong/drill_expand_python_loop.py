# wrong: drill-expand python-loop line 21
import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    own = key.unsqueeze(1).repeat(1, heads, 1, 1)
    own[:, head] *= 0
    return own


def repeat_kv(key, repeats):
    return key.repeat_interleave(repeats, 1)


def add_slopes(scores, slopes):
    out = scores.clone()
    for h in range(slopes.shape[0]):
        out[:, h] += slopes[h]
    return out


def distances(positions):
    return positions[None, :] - positions[:, None]
