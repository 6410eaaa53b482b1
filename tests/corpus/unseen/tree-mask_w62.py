import math

import torch
from torch import Tensor


def _parents(back: Tensor) -> Tensor:
    """Boolean matrix with True at (i, parent of i)."""
    n = back.numel()
    index = torch.arange(n, device=back.device)
    return index[None, :] == (index - back)[:, None]


def tree_mask(back: Tensor) -> Tensor:
    # reflexive transitive closure: (I + A), squared until every ancestor is reached
    n = back.numel()
    reach = (_parents(back) | torch.eye(n, dtype=torch.bool, device=back.device)).float()
    for _ in range(int(math.log2(n))):
        reach = torch.clamp(reach @ reach, max=1.0)
    return reach > 0.5


class TreeVerifier:
    def __init__(self, back: Tensor):
        self.mask = tree_mask(back)

    def full_mask(self, key_length: int) -> Tensor:
        n = self.mask.shape[0]
        prefix = self.mask.new_ones(n, key_length - n)
        return torch.hstack([prefix, self.mask])

    def __call__(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        dt = torch.promote_types(q.dtype, torch.float32)
        s = (q.to(dt) @ k.to(dt).transpose(-2, -1)).div_(q.size(-1) ** 0.5)
        s.masked_fill_(~self.full_mask(k.size(-2)), torch.finfo(dt).min)
        return s.softmax(-1).matmul(v.to(dt)).to(q.dtype)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    return TreeVerifier(back)(query, key, value)
