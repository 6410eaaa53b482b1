import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    out = key.unsqueeze(1).repeat(1, heads, 1, 1)
    out[:, head] = 0
    return out


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes[:, None, None]


def distances(positions: Tensor) -> Tensor:
    query_pos, key_pos = torch.meshgrid(positions, positions, indexing="xy")
    return key_pos - query_pos
