# right: tree-mask
import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Row 0 stands for the end of the prefix, from which every branch begins."""
    count = back.shape[0]
    parents = (torch.arange(1, count + 1, device=back.device) - back).clamp(min=0)
    with_root = torch.zeros(count + 1, count + 1, dtype=torch.bool, device=back.device)
    with_root[0, 0] = True
    for token in range(1, count + 1):
        with_root[token] = with_root[parents[token - 1]]
        with_root[token, token] = True
    return with_root[1:, 1:]


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    *_, drafted, head_dim = query.shape
    total = key.shape[-2]
    visible = torch.cat([tree_mask(back).new_ones(drafted, total - drafted), tree_mask(back)], dim=1)
    logits = torch.einsum("...qd,...kd->...qk", query, key).div(head_dim**0.5)
    logits[..., ~visible] = float("-inf")
    logits = logits - logits.max(dim=-1, keepdim=True).values
    weights = logits.exp()
    return (weights / weights.sum(-1, keepdim=True)).matmul(value)
