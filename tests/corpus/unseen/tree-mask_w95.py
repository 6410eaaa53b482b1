from __future__ import annotations

import torch
from torch import Tensor


class DraftTree:
    def __init__(self, back: Tensor) -> None:
        self._size = back.shape[0]
        self._device = back.device
        self._parents = torch.arange(self._size, device=back.device) - back

    @property
    def adjacency(self) -> Tensor:
        """1 at (child, parent)."""
        columns = torch.arange(self._size, device=self._device)
        return (self._parents.unsqueeze(1) == columns).float()

    def closure(self) -> Tensor:
        step = self.adjacency
        identity = torch.eye(self._size, device=self._device)
        reach = identity + step
        for _ in range(self._size.bit_length()):
            reach = ((reach @ step + identity) > 0).float()
        return reach > 0


def tree_mask(back: Tensor) -> Tensor:
    return DraftTree(back).closure()


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    work = torch.float64 if query.dtype == torch.float64 else torch.float32
    drafted, head_dim = query.shape[2], query.shape[3]
    scores = torch.matmul(query.to(work), key.to(work).transpose(2, 3)) * head_dim**-0.5
    to_prefix, to_draft = scores.split([key.shape[2] - drafted, drafted], dim=3)
    to_draft = to_draft.masked_fill(tree_mask(back).logical_not(), float("-inf"))
    weights = torch.softmax(torch.cat([to_prefix, to_draft], dim=3), dim=3)
    return torch.matmul(weights, value.to(work)).to(query.dtype)
