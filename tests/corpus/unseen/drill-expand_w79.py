# attn-kata: drill-expand
import torch


def share_keys(key, heads):
    b, l, d = key.shape
    return key.view(b, 1, l, d).expand(b, heads, l, d)


def silence_head(key, heads, head):
    copies = [key for _ in range(heads)]
    copies[head] = torch.zeros_like(key)
    return torch.stack(copies, dim=2).transpose(1, 2)


def repeat_kv(key, repeats):
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores, slopes):
    return scores + slopes.reshape(1, -1, 1, 1)


def distances(positions):
    return positions[:, None] - positions[None, :]
