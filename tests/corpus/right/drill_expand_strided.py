# right: drill-expand
"""Everything by way of strides and indices."""
import torch


def share_keys(key, heads):
    batch, length, width = key.shape
    a, b, c = key.stride()
    return key.as_strided((batch, heads, length, width), (a, 0, b, c))


def silence_head(key, heads, head):
    batch, length, width = key.shape
    out = key.new_zeros(batch, heads, length, width)
    others = [h for h in range(heads) if h != head]
    out[:, others] = key[:, None]
    return out


def repeat_kv(key, repeats):
    h = torch.arange(key.shape[1] * repeats, device=key.device)
    return key.index_select(1, torch.div(h, repeats, rounding_mode="floor"))


def add_slopes(scores, slopes):
    return torch.add(scores, slopes.reshape(slopes.numel(), 1, 1))


def distances(positions):
    return torch.sub(positions.reshape(1, -1), positions.reshape(-1, 1))
