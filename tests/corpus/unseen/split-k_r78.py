import math

import torch


def chunk_attention(query, key, value, seen):
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = torch.einsum("bhqd,bhkd->bhqk", query.to(wide), key.to(wide)) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], -torch.inf)
    lse = torch.logsumexp(scores, dim=-1)                         # -inf where nothing is seen
    # -inf - (-inf) is NaN: an empty row subtracts 0 instead
    base = torch.where(torch.isneginf(lse), torch.zeros_like(lse), lse)
    weights = torch.exp(scores - base.unsqueeze(-1))
    blank = value.to(wide).masked_fill(~seen[:, None, :, None], 0)
    return torch.einsum("bhqk,bhkv->bhqv", weights, blank).to(value.dtype), lse


def merge(outputs, lses):
    wide = torch.promote_types(lses.dtype, torch.float32)
    lses_ = lses.to(wide)
    lse = torch.logsumexp(lses_, dim=0)
    base = lse.masked_fill(torch.isneginf(lse), 0)
    shares = torch.exp(lses_ - base)
    merged = (shares.unsqueeze(-1) * outputs.to(wide)).sum(0)
    return merged.to(outputs.dtype), lse


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    wide = torch.promote_types(query.dtype, torch.float32)
    place = torch.arange(n, device=key.device)
    seen = place < lengths.to(key.device).unsqueeze(1)
    edges = [round(i * n / splits) for i in range(splits + 1)]
    done = None
    for start, stop in zip(edges, edges[1:]):
        if stop == start:
            continue
        part = chunk_attention(query.to(wide), key[:, :, start:stop].to(wide), value[:, :, start:stop].to(wide), seen[:, start:stop])
        # merged one after another, as a ring would do it
        done = part if done is None else merge(*(torch.stack(pair) for pair in zip(done, part)))
    return done[0].to(value.dtype)
