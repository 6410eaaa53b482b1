import functools
import torch
from torch import Tensor


def _wide(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    q, k, v = map(_wide, (query, key, value))
    s = torch.einsum("bhqd,bhkd->bhkq", q, k) * q.size(-1) ** -0.5      # keys before queries
    s = s.masked_fill(seen.logical_not()[:, None, :, None], -torch.inf)
    top = s.max(dim=2, keepdim=True).values
    e = torch.exp(s - top.nan_to_num(neginf=0.0))
    z = e.sum(dim=2)
    out = torch.einsum("bhkq,bhkv->bhqv", e, v) / z.where(z > 0, 1).unsqueeze(-1)
    lse = torch.log(z) + top.squeeze(2).nan_to_num(neginf=0.0)
    return out.to(query.dtype), lse


def _merge_two(a, b):
    (oa, la), (ob, lb) = a, b
    total = torch.logaddexp(la, lb)
    anchor = torch.where(torch.isinf(total), torch.zeros_like(total), total)
    wa, wb = ((l - anchor).exp().unsqueeze(-1) for l in (la, lb))
    return torch.addcmul(oa * wa, ob, wb), total


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    o, l = functools.reduce(_merge_two, zip(_wide(outputs), _wide(lses)))
    # a single chunk comes back as it is, and an empty one is 0
    return o.masked_fill((l == -torch.inf).unsqueeze(-1), 0).to(outputs.dtype), l


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    places = torch.arange(key.size(2), device=key.device).tensor_split(splits)
    parts = [
        chunk_attention(_wide(query), key.index_select(2, at), value.index_select(2, at), at < lengths[:, None])
        for at in places
        if at.numel()
    ]
    output, _ = functools.reduce(_merge_two, parts)       # one after the other: no axis for the chunks
    return output.to(query.dtype)
