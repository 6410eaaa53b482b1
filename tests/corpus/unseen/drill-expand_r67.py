import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    b, t, d = key.stride()
    B, T, D = key.shape
    return key.as_strided((B, heads, T, D), (b, 0, t, d), key.storage_offset())


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    keep = torch.ones(heads, dtype=key.dtype, device=key.device)
    keep[head] = 0
    return torch.einsum("btd,h->bhtd", key, keep).contiguous()


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    owner = torch.arange(key.shape[1] * repeats, device=key.device) // repeats
    return key.index_select(1, owner)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return (scores.movedim(1, -1) + slopes).movedim(-1, 1)


def distances(positions: Tensor) -> Tensor:
    return torch.vmap(lambda own: positions - own)(positions)
