from functools import partial

import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    alive = torch.arange(heads, device=key.device) != head
    return torch.where(alive.view(-1, 1, 1), key.unsqueeze(1), key.new_zeros(()))


repeat_kv = lambda key, repeats: torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores, slopes):
    return scores + slopes.view(-1, 1, 1)


def distances(positions):
    n = positions.numel()
    ahead = positions - positions[0]
    line = torch.cat([-ahead[1:].flip(0), ahead])
    windows = line.unfold(0, n, 1)
    return windows.flip(0)
