# attn-kata: split-k
# Chunks by tensor_split, results by pairs, as in a tree. A chunk may come out with no key at all.
import torch


def _acc(t):
    return t.to(torch.promote_types(t.dtype, torch.float32))


def chunk_attention(query, key, value, seen):
    shape = (*query.shape[:-1], value.shape[-1])
    out = torch.zeros(shape, dtype=_acc(value).dtype, device=query.device)
    lse = out.new_full(query.shape[:-1], -torch.inf)
    q, k, v = map(_acc, (query, key, value))
    for b in range(len(seen)):
        own = seen[b].nonzero().squeeze(1)
        if len(own):
            s = q[b] @ k[b][:, own].mT * query.shape[-1] ** -0.5
            lse[b] = s.logsumexp(-1)
            out[b] = s.softmax(-1) @ v[b][:, own]
    return out.to(value.dtype), lse


def _pair(a, b):
    (o1, l1), (o2, l2) = a, b
    lse = torch.logaddexp(l1, l2)
    nothing = lse == -torch.inf
    w1 = (l1 - lse).exp().masked_fill(nothing, 0)[..., None]
    w2 = (l2 - lse).exp().masked_fill(nothing, 0)[..., None]
    return o1 * w1 + o2 * w2, lse


def merge(outputs, lses):
    level = list(zip(_acc(outputs), _acc(lses)))
    while len(level) > 1:
        odd = level[len(level) // 2 * 2 :]
        level = [_pair(a, b) for a, b in zip(level[0::2], level[1::2])] + odd
    out, lse = level[0]
    return out.to(outputs.dtype), lse


def split_k_attention(query, key, value, lengths, splits):
    seen = torch.arange(key.shape[2], device=key.device) < lengths.to(key.device)[:, None]
    pieces = zip(key.tensor_split(splits, 2), value.tensor_split(splits, 2), seen.tensor_split(splits, 1))
    outputs, lses = zip(*(chunk_attention(_acc(query), k, _acc(v), s) for k, v, s in pieces))
    return merge(torch.stack(outputs), torch.stack(lses))[0].to(value.dtype)
