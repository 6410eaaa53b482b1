import math

import torch


def _wide(x):
    return x if x.dtype == torch.float64 else x.float()


def chunk_attention(query, key, value, seen):
    s = _wide(query) @ _wide(key).mT / math.sqrt(query.size(-1))
    s = s.masked_fill(~seen[:, None, None, :], -math.inf)
    lse = s.logsumexp(-1)
    anchor = torch.where(lse.isfinite(), lse, 0.0).unsqueeze(-1)
    return torch.exp(s - anchor) @ _wide(value), lse


def merge(outputs, lses):
    """Pairwise from the front; each step is a two-way log-add-exp."""
    done, total = torch.zeros_like(outputs[0]), torch.full_like(lses[0], -math.inf)
    for o, l in zip(outputs, lses):
        grown = torch.logaddexp(total, l)
        ref = grown.masked_fill(grown.isneginf(), 0.0)
        done = done * (total - ref).exp()[..., None] + o * (l - ref).exp()[..., None]
        total = grown
    return done, total


def split_k_attention(query, key, value, lengths, splits):
    alive = torch.arange(key.size(-2), device=key.device) < lengths[:, None]
    pieces = zip(
        key.tensor_split(splits, dim=-2),
        value.tensor_split(splits, dim=-2),
        alive.tensor_split(splits, dim=-1),
    )
    outs, lses = zip(*[chunk_attention(query, k, v, a) for k, v, a in pieces])
    return merge(torch.stack(outs), torch.stack(lses))[0].to(query.dtype)
