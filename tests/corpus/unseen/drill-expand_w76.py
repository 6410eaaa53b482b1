import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    copies = share_keys(key.clone(), heads)
    copies[:, head].zero_()
    return copies


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.reshape(1, -1, 1, 1)


def distances(positions: Tensor) -> Tensor:
    return positions[None, :] - positions[:, None]
