import math

import torch


def tree_mask(back):
    drafted = back.shape[0]
    idx = torch.arange(drafted, device=back.device)
    cur = idx
    mask = torch.zeros([drafted, drafted], dtype=torch.bool, device=back.device)
    for _ in range(drafted):
        alive = torch.ge(cur, 0)
        hit = torch.eq(idx[None, :], cur[:, None])
        mask = torch.logical_or(mask, hit)
        nxt = cur - back[torch.clamp(cur, min=0)]
        cur = torch.where(alive, nxt, -1)
    return mask


def tree_attention(query, key, value, back):
    drafted = query.shape[2]
    prefix = key.shape[2] - drafted
    ones = torch.ones([drafted, prefix], dtype=torch.bool, device=query.device)
    band = torch.concat([ones, tree_mask(back).to(query.device)], dim=-1)
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    probs = torch.nn.functional.softmax(logits, dim=-1)
    probs = probs * band.to(probs.dtype)
    return torch.einsum("bhqk,bhkd->bhqd", probs, value)
