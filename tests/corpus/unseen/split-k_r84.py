import torch


def chunk_attention(query, key, value, seen):
    wide = torch.promote_types(query.dtype, torch.float32)
    logits = query.to(wide) @ key.to(wide).mT * query.shape[-1] ** -0.5
    logits = logits.masked_fill(seen.logical_not()[:, None, None], float("-inf"))
    lse = logits.logsumexp(-1)
    # a row that sees nothing has only -inf: any finite number gives weights of 0
    base = lse.masked_fill(lse.isneginf(), 0)
    return (logits - base[..., None]).exp() @ value.to(wide), lse


def merge(outputs, lses):
    total = lses.logsumexp(0)
    share = (lses - total.masked_fill(total.isneginf(), 0)).exp()
    return torch.einsum("s...,s...d->...d", share, outputs.to(share.dtype)), total


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    size = (n + splits - 1) // splits
    seen = torch.arange(n, device=key.device) < lengths[:, None]
    acc = None
    for k, v, s in zip(key.split(size, 2), value.split(size, 2), seen.split(size, 1)):
        part = chunk_attention(query, k, v, s)
        if acc is None:
            acc = part
        else:
            acc = merge(*(torch.stack(pair) for pair in zip(acc, part)))
    return acc[0].to(query.dtype)
