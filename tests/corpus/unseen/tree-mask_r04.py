# attn-kata: tree-mask
import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    drafted = back.shape[0]
    here = torch.arange(drafted, device=back.device)
    parent = here - back
    parent = torch.where(parent < 0, torch.full_like(parent, drafted), parent)
    parent = torch.cat([parent, parent.new_tensor([drafted])])          # the root is its own parent
    seen = torch.zeros(drafted, drafted + 1, dtype=torch.bool, device=back.device)
    at = here
    while bool((at < drafted).any()):
        seen[here, at] = True
        at = parent[at]
    return seen[:, :drafted]


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted = query.shape[-2]
    prefix_keys, tree_keys = key[..., :-drafted, :], key[..., -drafted:, :]
    scale = query.shape[-1] ** -0.5
    to_prefix = query @ prefix_keys.mT * scale
    to_tree = (query @ tree_keys.mT * scale).masked_fill(~tree_mask(back), -torch.inf)
    weights = torch.cat([to_prefix, to_tree], dim=-1).softmax(-1)
    return weights @ value
