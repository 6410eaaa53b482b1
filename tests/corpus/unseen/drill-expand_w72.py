import torch
from torch.nn import functional as F


def share_keys(key, heads):
    batch, length, dim = key.shape
    return torch.broadcast_to(torch.unsqueeze(key, 1), [batch, heads, length, dim])


def silence_head(key, heads, head):
    tiled = torch.tile(torch.unsqueeze(key, 1), [1, heads, 1, 1])
    gate = 1 - F.one_hot(torch.tensor(head), heads).to(tiled.device, tiled.dtype)
    return tiled * torch.reshape(gate, [1, heads, 1, 1])


def repeat_kv(key, repeats):
    batch, kv_heads, length, dim = key.shape
    stacked = torch.stack([key] * repeats, dim=2)
    return torch.reshape(stacked, [batch, kv_heads * repeats, length, dim])


def add_slopes(scores, slopes):
    return torch.add(scores, torch.reshape(slopes, [1, -1, 1, 1]))


def distances(positions):
    pos = positions.to(torch.float32)
    diff = pos[None, :] - pos[:, None]
    return diff.to(torch.int64)
