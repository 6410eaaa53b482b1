# right: tree-mask
"""The prefix needs no mask: attend to it and to the tree apart, and merge."""
from math import sqrt

import torch


def tree_mask(back):
    sees = torch.eye(len(back), dtype=torch.bool, device=back.device)
    for child in range(1, len(back)):
        parent = child - back[child].item()
        if parent < 0:
            continue
        sees[child] = sees[child].logical_or(sees[parent])
    return sees


def _part(q, k, v, mask=None):
    s = q @ k.transpose(-1, -2) / sqrt(q.shape[-1])
    if mask is not None:
        s = s.where(mask, torch.full_like(s, -torch.inf))
    top = s.amax(-1, keepdim=True)
    e = (s - top).exp()
    z = e.sum(-1, keepdim=True)
    return e @ v, z, top


def tree_attention(query, key, value, back):
    drafted = len(back)
    o1, z1, m1 = _part(query, key[..., :-drafted, :], value[..., :-drafted, :])
    o2, z2, m2 = _part(query, key[..., -drafted:, :], value[..., -drafted:, :], tree_mask(back))
    m = torch.maximum(m1, m2)
    a, b = (m1 - m).exp(), (m2 - m).exp()
    return (o1 * a + o2 * b) / (z1 * a + z2 * b)
