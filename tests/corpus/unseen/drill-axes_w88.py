from __future__ import annotations

from torch import Tensor


def _order(source: str, target: str) -> list[int]:
    """Axis order for ``permute`` that brings 'b l h d' to, say, 'h b l d'."""
    old, new = source.split(), target.split()
    return [new.index(name) for name in old]


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(1, 2)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(_order("b l h d", "b h l d"))


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(1, 2)


def swap_last(key: Tensor) -> Tensor:
    return key.permute(_order("b h l d", "b h d l"))


def swap_last_copy(key: Tensor) -> Tensor:
    return swap_last(key).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    return x.permute(_order("b l h d", "h b l d"))


def heads_to_back(x: Tensor) -> Tensor:
    return x.permute(_order("h b l d", "b l h d")).contiguous()
