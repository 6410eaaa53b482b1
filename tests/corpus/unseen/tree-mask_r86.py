from __future__ import annotations

import torch
from torch import Tensor


def paths(back: Tensor) -> list[list[int]]:
    parents = [token - step for token, step in enumerate(back.tolist())]
    found: list[list[int]] = []
    for token, parent in enumerate(parents):
        found.append((found[parent] if parent >= 0 else []) + [token])
    return found


def tree_mask(back: Tensor) -> Tensor:
    rows = []
    for path in paths(back):
        row = torch.zeros(len(back), dtype=torch.bool, device=back.device)
        rows.append(row.index_fill(0, torch.tensor(path, device=back.device), True))
    return torch.stack(rows)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    """Each token gathers the keys that it may see; nothing is hidden."""
    drafted, head_dim = query.shape[-2:]
    prefix = key.shape[-2] - drafted
    wide = torch.promote_types(query.dtype, torch.float32)
    context = []
    for token, path in enumerate(paths(back)):
        own = torch.tensor(path, device=key.device) + prefix
        places = torch.cat([torch.arange(prefix, device=key.device), own])
        k, v = (t.index_select(-2, places).to(wide) for t in (key, value))
        q = query[..., token, :, None].to(wide) / head_dim**0.5
        weights = (k @ q).softmax(-2)
        context.append((weights * v).sum(-2))
    return torch.stack(context, -2).to(query.dtype)
