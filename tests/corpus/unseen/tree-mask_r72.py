# attn-kata: tree-mask
import torch


def _parents(back):
    idx = torch.arange(back.numel(), device=back.device)
    return (idx - back.long()).clamp(min=-1)


def tree_mask(back):
    # A = one step to the parent; closure by squaring (I + A)
    n = back.numel()
    p = _parents(back)
    step = p[:, None] == torch.arange(n, device=back.device)
    reach = (step | torch.eye(n, dtype=torch.bool, device=back.device)).float()
    hops = 1
    while hops < n:
        reach = ((reach @ reach) > 0).float()
        hops *= 2
    return reach.bool()


def tree_attention(query, key, value, back):
    n, d = query.shape[-2:]
    prefix = key.shape[-2] - n
    s = torch.einsum("bhid,bhjd->bhij", query, key) / d ** 0.5
    left, right = s.split([prefix, n], dim=-1)
    right = right.masked_fill(~tree_mask(back), -torch.inf)
    w = torch.cat((left, right), dim=-1).softmax(dim=-1)
    return torch.einsum("bhij,bhjd->bhid", w, value)
