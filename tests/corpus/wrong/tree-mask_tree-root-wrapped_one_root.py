# wrong: tree-mask tree-root-wrapped line 14
import torch
from torch import Tensor

ROOT = -1


def tree_mask(back: Tensor) -> Tensor:
    T = back.shape[0]
    parents = (torch.arange(T, device=back.device) - back).tolist()
    mask = torch.eye(T, dtype=torch.bool, device=back.device)
    for node, parent in enumerate(parents):
        if parent != ROOT:
            mask[node] |= mask[parent]
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    b, h, T, d = query.shape
    P = key.size(2) - T
    full = torch.cat([back.new_ones(T, P, dtype=torch.bool), tree_mask(back)], dim=1)
    scores = torch.einsum("bhtd,bhsd->bhts", query, key) * d ** -0.5
    scores.masked_fill_(~full, float("-inf"))
    return torch.einsum("bhts,bhsd->bhtd", torch.softmax(scores, dim=3), value)
