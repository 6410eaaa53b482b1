# Each token's branch as a list of key numbers; attention by index, no mask
from __future__ import annotations

import torch


def _ancestors(back):
    """[[0], [1, 0], ...]: every token and those above it"""
    lines: list[list[int]] = []
    for i, step in enumerate(back.tolist()):
        parent = i - int(step)
        lines.append([i] + (lines[parent] if parent >= 0 else []))
    return lines


def tree_mask(back):
    lines = _ancestors(back)
    mask = torch.zeros(len(lines), len(lines), dtype=torch.bool)
    for i, line in enumerate(lines):
        mask[i, line] = True
    return mask.to(back.device)


def tree_attention(query, key, value, back):
    drafted = query.shape[2]
    prefix = key.shape[2] - drafted
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (t.to(wide) for t in (query, key, value))
    q = q / query.shape[-1] ** 0.5
    contexts = []
    for i, line in enumerate(_ancestors(back)):
        own = torch.tensor([prefix + j for j in line], device=key.device)
        places = torch.cat([torch.arange(prefix, device=key.device), own])
        logits = (k[:, :, places] @ q[:, :, i, :, None]).squeeze(-1)
        shares = logits.softmax(-1)
        contexts.append(torch.einsum("bhk,bhkd->bhd", shares, v[:, :, places]))
    return torch.stack(contexts, dim=2).to(value.dtype)
