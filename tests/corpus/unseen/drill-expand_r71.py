from __future__ import annotations

import torch
from torch import Tensor


def kind(word: str):
    """Says in the function whether its result is a view or a copy. No effect at run time."""

    def mark(fn):
        fn.result_kind = word
        return fn

    return mark


@kind("view")
def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


@kind("copy")
def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    assert 0 <= head < heads, f"there is no head {head} among {heads}"
    # without clone a write would reach all heads, and key
    own = share_keys(key, heads).clone(memory_format=torch.contiguous_format)
    own[:, head] = 0
    return own


@kind("copy")
def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    source = torch.arange(key.shape[1] * repeats, device=key.device) // repeats
    return key.index_select(1, source)


@kind("copy")
def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes[:, None, None]


@kind("copy")
def distances(positions: Tensor) -> Tensor:
    return positions.unsqueeze(0) - positions.unsqueeze(1)


if __name__ == "__main__":
    print(distances(torch.tensor([3, 4, 5])))
    print(repeat_kv(torch.arange(3.0).view(1, 3, 1, 1), 2).flatten())
