import math

import torch


def chunk_attention(query, key, value, seen):
    f = torch.promote_types(query.dtype, torch.float32)
    scale = 1.0 / math.sqrt(query.size(-1))
    logits = torch.matmul(query.to(f) * scale, key.to(f).mT)
    logits = logits.masked_fill(seen.logical_not()[:, None, None], float("-inf"))
    lse = logits.logsumexp(-1)
    probs = torch.nan_to_num(torch.softmax(logits, -1), nan=0.0)
    return torch.matmul(probs, value.to(f).masked_fill(~seen[:, None, :, None], 0)).to(query.dtype), lse.to(query.dtype)


def merge(outputs, lses):
    f = torch.promote_types(lses.dtype, torch.float32)
    lses_f = lses.to(f)
    ref = lses_f.max(dim=0).values
    ref = torch.where(torch.isfinite(ref), ref, torch.zeros_like(ref))
    w = torch.exp(lses_f - ref)
    denom = w.sum(dim=0)
    safe = torch.where(denom > 0, denom, torch.ones_like(denom))
    merged = (outputs.to(f) * (w / safe)[..., None]).sum(dim=0)
    merged_lse = torch.log(denom)
    return merged.to(outputs.dtype), merged_lse.to(lses.dtype)


def split_k_attention(query, key, value, lengths, splits):
    total = key.size(2)
    bounds = [round(i * total / splits) for i in range(splits + 1)]
    results = []
    for lo, hi in zip(bounds[:-1], bounds[1:]):
        seen = torch.arange(lo, hi, device=key.device).unsqueeze(0) < lengths.unsqueeze(1)
        results.append(chunk_attention(query, key[:, :, lo:hi], value[:, :, lo:hi], seen))
    outs, lses = zip(*results)
    return merge(torch.stack(outs), torch.stack(lses))[0]
