import torch
import torch.nn.functional as F


def _parts(query, key, value, seen):
    """unnormalized: top, mass, sum of values; any number of axes in front"""
    s = (query.float() if query.dtype.itemsize < 4 else query) @ key.to(torch.promote_types(key.dtype, torch.float32)).mT
    s = s * query.shape[-1] ** -0.5
    s = torch.where(seen, s, -torch.inf)
    top = s.amax(-1, keepdim=True)
    e = torch.exp(s - torch.nan_to_num(top, neginf=0.0))
    return top.squeeze(-1), e.sum(-1), e @ value.to(e.dtype)


def _close(top, mass, total, dtype):
    alive = mass > 0
    out = total / torch.where(alive, mass, 1.0).unsqueeze(-1)
    return out.to(dtype), torch.where(alive, top + mass.log(), -torch.inf)


def chunk_attention(query, key, value, seen):
    return _close(*_parts(query, key, value, seen[:, None, None, :]), query.dtype)


def merge(outputs, lses):
    lse = torch.logsumexp(lses, dim=0)
    share = torch.exp(lses - torch.where(torch.isneginf(lse), 0.0, lse))
    return torch.einsum("sbhq,sbhqv->bhqv", share.to(outputs.dtype), outputs), lse


def split_k_attention(query, key, value, lengths, splits):
    b, h, n, _ = key.shape
    size = -(-n // splits)
    rest = size * splits - n
    # chunks get an axis of their own, and become heads
    fold = lambda t: F.pad(t, (0, 0, 0, rest)).unflatten(2, (splits, size)).flatten(1, 2)
    seen = (torch.arange(size * splits, device=key.device) < lengths.view(-1, 1)).view(b, 1, splits, 1, size)
    seen = seen.expand(-1, h, -1, -1, -1).flatten(1, 2)
    top, mass, total = _parts(query.repeat_interleave(splits, 1), fold(key), fold(value), seen)
    out, lse = _close(top, mass, total, total.dtype)
    by_chunk = lambda t: t.unflatten(1, (h, splits)).movedim(2, 0)
    return merge(by_chunk(out), by_chunk(lse))[0].to(query.dtype)
