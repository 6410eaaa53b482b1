import torch
import torch.nn.functional as F
from torch import Tensor


def ancestors(back: list, i: int):
    while i >= 0:
        yield i
        i -= back[i]


def tree_mask(back: Tensor) -> Tensor:
    steps = back.tolist()
    mask = torch.zeros(len(steps), len(steps), dtype=torch.bool)
    for i in range(len(steps)):
        mask[i, list(ancestors(steps, i))] = True
    return mask.to(back.device)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    dtype = query.dtype
    q, k, v = (t.to(torch.float64) for t in (query, key, value))
    prefix = k.size(2) - q.size(2)
    mask = F.pad(tree_mask(back), (0, prefix), value=True)
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.size(3) ** 0.5
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=3)
    return torch.einsum("bhqk,bhkd->bhqd", weights, v).to(dtype)
