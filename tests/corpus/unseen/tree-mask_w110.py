"""Tree attention. The mask is the transitive closure of the parent relation."""
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class DraftTree:
    back: Tensor

    @property
    def size(self) -> int:
        return len(self.back)

    @property
    def adjacency(self) -> Tensor:
        """(size, size), 1 where the column is the row's parent; a root's row is empty."""
        nodes = torch.arange(self.size, device=self.back.device)
        parents = nodes - self.back
        return parents.unsqueeze(-1).eq(nodes).float()

    @property
    def doublings(self) -> int:
        return int(torch.tensor(float(self.size)).log2())

    def closure(self) -> Tensor:
        reach = self.adjacency + torch.eye(self.size, device=self.back.device)
        for _ in range(self.doublings):
            reach = torch.mm(reach, reach).clamp_(max=1.0)
        return reach.bool()

    def additive(self, prefix: int, dtype: torch.dtype) -> Tensor:
        own = torch.zeros(self.size, self.size, dtype=dtype, device=self.back.device)
        own.masked_fill_(~self.closure(), float("-inf"))
        return torch.cat((own.new_zeros(self.size, prefix), own), dim=-1)


def tree_mask(back: Tensor) -> Tensor:
    return DraftTree(back).closure()


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    tree = DraftTree(back)
    b, h, n, d = query.shape
    s = key.shape[2]
    f = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (x.to(f).reshape(b * h, -1, d) for x in (query, key, value))
    scores = torch.baddbmm(tree.additive(s - n, f).expand(b * h, n, s), q, k.mT, alpha=d**-0.5)
    return torch.bmm(scores.softmax(-1), v).view(b, h, n, d).to(query.dtype)
