# wrong: drill-expand distance-unsigned line 23
import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    own = key.unsqueeze(1).expand(-1, heads, -1, -1).contiguous()
    return own.index_fill(1, torch.tensor(head, device=key.device), 0.0)


def repeat_kv(key, repeats):
    return key.repeat_interleave(repeats, 1)


def add_slopes(scores, slopes):
    return scores + slopes[:, None, None]


def distances(positions):
    return torch.abs(positions[None, :] - positions[:, None])
