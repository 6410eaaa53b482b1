"""Paged decoding for a batch; blocks behind the longest utterance are not gathered at all."""
import math

import torch
from torch import Tensor


class Pages:
    """A pool seen through a table."""

    def __init__(self, pool: Tensor, table: Tensor) -> None:
        self.pool = pool
        self.table = table.long()

    def unfold(self, frames: int, repeats: int) -> Tensor:
        blocks = math.ceil(frames / self.pool.shape[1])
        pages = self.pool[self.table[:, :blocks]]                # (B, M, S, G, D)
        tokens = pages.flatten(1, 2)[:, :frames]                 # (B, T, G, D)
        return tokens.transpose(1, 2).repeat_interleave(repeats, dim=1)


def length_mask(lengths: Tensor, frames: int) -> Tensor:
    steps = torch.arange(frames, device=lengths.device)
    return (steps < lengths.unsqueeze(1)).unsqueeze(1)           # (B, 1, T)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    repeats = query.shape[1] // key_pool.shape[2]
    frames = int(lengths[0])
    keys = Pages(key_pool, block_table).unfold(frames, repeats)  # (B, H, T, D)
    values = Pages(value_pool, block_table).unfold(frames, repeats)
    seen = length_mask(lengths, frames)

    wide = torch.promote_types(query.dtype, torch.float32)
    scores = torch.einsum("bhd,bhtd->bht", query.to(wide), keys.to(wide))
    scores = scores / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~seen, float("-inf")), dim=-1)
    values = values.to(wide).masked_fill(~seen.unsqueeze(-1), 0.0)
    return torch.einsum("bht,bhtd->bhd", weights, values).to(query.dtype)
