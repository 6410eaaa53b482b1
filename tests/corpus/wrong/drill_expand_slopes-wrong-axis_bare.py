# wrong: drill-expand slopes-wrong-axis line 20 (error)
import torch


def share_keys(key, heads):
    return torch.unsqueeze(key, 1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    copy = torch.unsqueeze(key, 1).expand(-1, heads, -1, -1).contiguous()
    copy[:, head].zero_()
    return copy


def repeat_kv(key, repeats):
    return torch.cat([h for h in key.split(1, dim=1) for _ in range(repeats)], dim=1)


def add_slopes(scores, slopes):
    return scores + slopes


def distances(positions):
    return positions.unsqueeze(0) - positions.unsqueeze(1)
