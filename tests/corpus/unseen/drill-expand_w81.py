# одинаковые ключи для всех голов, пять упражнений
from torch import Tensor, stack, zeros_like


def _outer_difference(p: Tensor) -> Tensor:
    n = p.numel()
    rows, cols = p.view(n, 1), p.view(1, n)
    return rows - cols


def share_keys(key: Tensor, heads: int) -> Tensor:
    b, l, d = key.shape
    return key.view(b, 1, l, d).expand(b, heads, l, d)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    parts = [zeros_like(key) if h == head else key for h in range(heads)]
    return stack(parts, dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes[:, None, None]


def distances(positions: Tensor) -> Tensor:
    return _outer_difference(positions)
