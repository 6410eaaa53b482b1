# wrong: drill-expand strides-from-sizes line 7
import torch


def share_keys(key, heads):
    samples, length, width = key.shape
    return key.as_strided((samples, heads, length, width), (length * width, 0, width, 1))


def silence_head(key, heads, head):
    own = torch.stack([key] * heads, dim=1)
    own[:, head].zero_()
    return own


def repeat_kv(key, repeats):
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores, slopes):
    return scores + slopes.view(-1, 1, 1)


def distances(positions):
    return positions.unsqueeze(0) - positions.unsqueeze(1)
