import torch


def share_keys(key, heads):
    batch, length, head_dim = key.shape
    with_head_axis = key.unsqueeze(1)
    shared = with_head_axis.expand(batch, heads, length, head_dim)
    return shared


def silence_head(key, heads, head):
    shared = share_keys(key, heads)
    copies = shared.clone()
    copies[:, head] = 0
    return copies


def repeat_kv(key, repeats):
    batch, kv_heads, length, head_dim = key.shape
    with_repeat_axis = key.unsqueeze(1)
    expanded = with_repeat_axis.expand(batch, repeats, kv_heads, length, head_dim)
    merged = expanded.reshape(batch, kv_heads * repeats, length, head_dim)
    return merged


def add_slopes(scores, slopes):
    heads = slopes.shape[0]
    slopes_with_axes = slopes.view(1, heads, 1, 1)
    result = scores + slopes_with_axes
    return result


def distances(positions):
    row = positions.unsqueeze(0)
    column = positions.unsqueeze(1)
    difference = row - column
    return difference
