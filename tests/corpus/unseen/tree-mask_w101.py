import torch
import torch.nn.functional as F


def tree_mask(back):
    """All tokens climb at once, one level per round."""
    n = back.numel()
    me = torch.arange(n, device=back.device)
    at = me
    seen = torch.zeros(n, n + 1, dtype=torch.bool, device=back.device)  # column n: out of the tree
    while (at >= 0).any():
        seen[me, torch.where(at < 0, n, at)] = True
        at = at - back
    return seen[:, :n]


def tree_attention(query, key, value, back):
    n, d = query.shape[2:]
    allowed = F.pad(tree_mask(back), (key.shape[2] - n, 0), value=True)
    bias = torch.zeros(allowed.shape, dtype=query.dtype, device=query.device)
    bias[~allowed] = -torch.inf
    logits = torch.einsum("bhnd,bhmd->bhnm", query * d**-0.5, key) + bias
    return torch.einsum("bhnm,bhmd->bhnd", logits.softmax(-1), value)
