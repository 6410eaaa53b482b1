# right: tree-mask
import torch
import torch.nn.functional as F


def tree_mask(back: torch.Tensor) -> torch.Tensor:
    n = back.numel()
    idx = torch.arange(n, device=back.device)
    parent_of = (idx - back)[:, None] == idx[None, :]
    reach = (parent_of | torch.eye(n, device=back.device).bool()).float()
    covered = 1
    while covered < n:
        reach = (reach @ reach > 0).float()
        covered *= 2
    return reach > 0


def tree_attention(query, key, value, back):
    n_prefix = key.shape[-2] - query.shape[-2]
    allowed = F.pad(tree_mask(back), (n_prefix, 0), value=True)
    bias = torch.zeros(allowed.shape, dtype=query.dtype, device=query.device)
    bias = bias.masked_fill(~allowed, torch.finfo(query.dtype).min)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.shape[-1] ** 0.5
    return torch.einsum("bhqk,bhkd->bhqd", F.softmax(scores + bias, dim=-1), value)
