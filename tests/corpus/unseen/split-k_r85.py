import torch
import torch.nn.functional as F


def to_wide(*tensors):
    return [t.to(torch.promote_types(t.dtype, torch.float32)) for t in tensors]


def chunk_attention(query, key, value, seen):
    q, k, v = to_wide(query, key, value)
    lowest = torch.finfo(q.dtype).min
    seen = seen[:, None, None, :]
    scores = torch.where(seen, torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5, lowest)
    top = scores.amax(-1, keepdim=True)
    exps = torch.exp(scores - top) * seen
    total = exps.sum(-1)
    out = torch.einsum("bhqk,bhkv->bhqv", exps, v)
    out = torch.where(total[..., None] > 0, out / total.clamp(min=0.5)[..., None], 0)
    lse = torch.where(total > 0, torch.log(total) + top[..., 0], -torch.inf)
    return out.to(value.dtype), lse


def merge(outputs, lses):
    """In a tree: neighbours are merged until one is left."""
    o, l = to_wide(outputs, lses)
    while len(o) > 1:
        if len(o) % 2:
            o = torch.cat([o, torch.zeros_like(o[:1])])
            l = torch.cat([l, torch.full_like(l[:1], -torch.inf)])
        (o1, o2), (l1, l2) = (t.unflatten(0, (-1, 2)).unbind(1) for t in (o, l))
        both = torch.logaddexp(l1, l2)
        safe = both.masked_fill(both == -torch.inf, 0)
        o = (l1 - safe).exp()[..., None] * o1 + (l2 - safe).exp()[..., None] * o2
        l = both
    return o[0].to(outputs.dtype), l[0]


def split_k_attention(query, key, value, lengths, splits):
    length = key.shape[2]
    size = -(-length // splits)
    extra = size * splits - length
    places = torch.arange(size * splits, device=key.device)
    seen = (places < lengths.to(key.device)[:, None]).unflatten(1, (splits, size))

    def pieces(t):
        return F.pad(t, (0, 0, 0, extra)).unflatten(2, (splits, size)).unbind(2)

    chunks = zip(pieces(key), pieces(value), seen.unbind(1))
    outputs, lses = zip(*(chunk_attention(query, *chunk) for chunk in chunks))
    return merge(torch.stack(outputs), torch.stack(lses))[0]
