from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

ROOT = -1  # the prefix


@dataclass
class Node:
    index: int
    branch: set[int] = field(default_factory=set)

    @classmethod
    def below(cls, index: int, parent: Node | None) -> Node:
        above = set() if parent is None else parent.branch
        return cls(index, above | {index})


def grow(back: list[int]) -> list[Node]:
    nodes = [Node(i) for i in range(len(back))]
    for i, step in enumerate(back):
        parent = i - step
        nodes[i] = Node.below(i, None if parent == ROOT else nodes[parent])
    return nodes


def tree_mask(back: Tensor) -> Tensor:
    nodes = grow(back.tolist())
    mask = torch.zeros(len(nodes), len(nodes), dtype=torch.bool, device=back.device)
    for node in nodes:
        mask[node.index, sorted(node.branch)] = True
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    rows = []
    drafted = tree_mask(back)
    prefix = key.size(2) - query.size(2)
    seen_prefix = drafted.new_ones(prefix)
    for i, row in enumerate(drafted):
        at = torch.cat((seen_prefix, row)).nonzero().squeeze(1)
        k, v = key[:, :, at], value[:, :, at]
        s = (k @ query[:, :, i, :, None]).squeeze(-1) * query.size(-1) ** -0.5
        rows.append((s.softmax(-1).unsqueeze(-2) @ v).squeeze(-2))
    return torch.stack(rows, dim=2)
