# wrong: drill-expand positions-ignored line 28
# fair: positions-ignored 27, 28
import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    copies = key.unsqueeze(1).repeat(1, heads, 1, 1)
    copies[:, head] = 0
    return copies


def repeat_kv(key, repeats):
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores, slopes):
    return scores + slopes.view(-1, 1, 1)


def distances(positions):
    first = int(positions[0])
    steps = range(first, first + len(positions))
    counted = torch.tensor(list(steps), device=positions.device)
    return counted.unsqueeze(0) - counted.unsqueeze(1)
