# wrong: drill-expand written-on-wrong-axis line 12
# fair: written-on-wrong-axis 11, 12
import torch


def share_keys(k, h):
    return k[:, None].expand(-1, h, -1, -1)


def silence_head(k, h, i):
    out = k[:, None].expand(-1, h, -1, -1).clone()
    out[i] = 0
    return out


def repeat_kv(k, r):
    return torch.repeat_interleave(k, r, dim=1)


def add_slopes(s, m):
    return s + m[:, None, None]


def distances(p):
    return p[None] - p[:, None]
