"""jnp.broadcast_to / jnp.kron habits"""
import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(-3).broadcast_to(key.shape[0], heads, *key.shape[1:])


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    before, after = head, heads - head - 1
    nothing = torch.zeros_like(key)
    return torch.stack([key] * before + [nothing] + [key] * after, dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    batch, kv_heads, length, head_dim = key.shape
    side_by_side = key.reshape(batch, kv_heads, 1, -1).tile(1, 1, 1, repeats)
    return side_by_side.reshape(batch, kv_heads * repeats, length, head_dim)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return torch.addcmul(scores, slopes.view(-1, 1, 1), scores.new_ones(()))


def distances(positions: Tensor) -> Tensor:
    grid_i, grid_j = torch.meshgrid(positions, positions, indexing="ij")
    return grid_j - grid_i
