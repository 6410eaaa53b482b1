import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return torch.broadcast_to(key[:, None], key.shape[:1] + (heads,) + key.shape[1:])


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    own = torch.arange(heads, device=key.device).ne(head)
    # where, and not a product with 0: that would keep NaN and inf
    return torch.where(own[:, None, None], key.unsqueeze(1), torch.zeros((), dtype=key.dtype, device=key.device))


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    which = torch.arange(key.size(1) * repeats, device=key.device).floor_divide(repeats)
    return key.index_select(1, which)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores.movedim(1, -1).add(slopes).movedim(-1, 1)


def distances(positions: Tensor) -> Tensor:
    return torch.sub(*torch.meshgrid(positions, positions, indexing="xy"))
