# Notebook cell 14: broadcasting helpers
import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(dim=1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    df = share_keys(key, heads).clone()
    df[:, head] = 0
    return df


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    slopes = slopes.reshape(1, -1, 1, 1)
    return torch.add(scores, slopes)


def distances(positions: Tensor) -> Tensor:
    """diff matrix: column minus row"""
    p = positions.to(torch.float32)
    table = p.reshape(1, -1) - p.reshape(-1, 1)
    return table.round().long()
