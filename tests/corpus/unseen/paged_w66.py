"""Paged decoding without gathering: every block of the pool knows whose it is and where it stands."""
import math

import torch


class BlockOwners:
    """Turns the table around: for each block of the pool its sequence and its first position."""

    def __init__(self, num_blocks, block_size, device):
        self.owner = torch.full((num_blocks,), -1, device=device)
        self.start = torch.zeros(num_blocks, dtype=torch.long, device=device)
        self.block_size = block_size

    def assign(self, sequence, blocks):
        self.owner[blocks] = sequence
        self.start[blocks] = torch.arange(len(blocks), device=blocks.device) * self.block_size

    def visible(self, lengths):
        # (batch, num_blocks, block_size)
        place = self.start[:, None] + torch.arange(self.block_size, device=self.start.device)
        own = self.owner == torch.arange(len(lengths), device=self.start.device)[:, None]
        return own[:, :, None] & (place < lengths[:, None, None])


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, dim = query.shape
    num_blocks, block_size, kv_heads, _ = key_pool.shape
    work = torch.promote_types(query.dtype, torch.float32)

    owners = BlockOwners(num_blocks, block_size, query.device)
    for b in range(batch):
        used = math.ceil(int(lengths[b]) / block_size)
        owners.assign(b, block_table[b, :used].long())
    seen = owners.visible(lengths).flatten(1)[:, None, None, :]          # (B, 1, 1, N*S)

    k = key_pool.flatten(0, 1).to(work)                                  # (N*S, G, D)
    v = value_pool.flatten(0, 1).to(work)
    v = torch.where(seen.any(0).view(-1, 1, 1), v, 0.0)
    q = query.to(work).view(batch, kv_heads, heads // kv_heads, dim)
    scores = torch.einsum("bgrd,tgd->bgrt", q, k) / math.sqrt(dim)
    weights = scores.masked_fill(~seen, float("-inf")).softmax(-1)
    return torch.einsum("bgrt,tgd->bgrd", weights, v).reshape(batch, heads, dim).to(query.dtype)
