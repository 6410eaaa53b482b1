import torch


def padding_mask(lens, n):
    grid = torch.arange(n, device=lens.device).repeat(len(lens), 1)
    return ~(grid >= lens[:, None])


def key_mask(keep):
    return keep[:, None][:, :, None]


def expanded_mask(keep, n_heads):
    n = keep.shape[-1]
    target = torch.empty(keep.shape[0], n_heads, n, n, device="meta")
    return keep[:, None, None].expand_as(target)


def causal_mask(n):
    rows, cols = torch.tril_indices(n, n)
    seen = torch.zeros((n, n), dtype=torch.bool)
    seen[rows, cols] = True
    return seen


def combined_mask(keep):
    return torch.stack([causal_mask(len(k)).to(k.device) * k for k in keep]).unsqueeze(1)


def masked_weights(logits, keep):
    low = torch.full_like(logits, torch.finfo(logits.dtype).min)
    return torch.where(keep > 0, logits, low).softmax(-1)


def additive_mask(keep, logits):
    return torch.where(keep, 0.0, float("-inf")).to(logits)
