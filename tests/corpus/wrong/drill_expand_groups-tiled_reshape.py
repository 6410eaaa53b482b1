# wrong: drill-expand groups-tiled line 18
# fair: groups-tiled 18, 19
import torch


def share_keys(key, heads):
    return key[:, None].expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    out = torch.stack([key] * heads, dim=1)
    out[:, head] = 0
    return out


def repeat_kv(key, n_rep):
    b, g, t, d = key.shape
    copies = key[:, None, :, :, :].expand(b, n_rep, g, t, d)
    return copies.reshape(b, g * n_rep, t, d)


def add_slopes(scores, slopes):
    return scores + slopes[:, None, None]


def distances(positions):
    return positions - positions[:, None]
