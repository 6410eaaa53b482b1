import math
from functools import partial, reduce

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Fold over the tokens: a row is its parent's row and one bit of its own."""
    def grow(rows, step):
        i = len(rows)
        above = rows[i - step] if i - step >= 0 else frozenset()
        return rows + [above | {i}]

    rows = reduce(grow, back.tolist(), [])
    return torch.tensor([[j in row for j in range(len(rows))] for row in rows], dtype=torch.bool, device=back.device).reshape(len(rows), len(rows))


def attend(one, keys, values):
    """one (batch, heads, head_dim) against the keys it sees."""
    s = torch.einsum("bhd,bhkd->bhk", one, keys) / math.sqrt(one.shape[-1])
    return torch.einsum("bhk,bhkd->bhd", torch.softmax(s, -1), values)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    prefix = key.shape[2] - query.shape[2]
    branches = [list(range(prefix)) + [prefix + j for j, on in enumerate(row) if on] for row in tree_mask(back).tolist()]
    pick = lambda t, at: t.index_select(2, torch.tensor(at, device=t.device))
    each = (attend(query[:, :, i], pick(key, at), pick(value, at)) for i, at in enumerate(branches))
    return torch.stack(list(each), dim=2)
