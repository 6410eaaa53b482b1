# All chunks at once: the keys get an axis for the splits, and vmap runs one chunk over it.
import torch
from torch.func import vmap


def _wide(dtype):
    return torch.promote_types(dtype, torch.float32)


def chunk_attention(query, key, value, seen):
    w = _wide(query.dtype)
    s = query.to(w) @ key.to(w).mT * query.shape[-1] ** -0.5
    s = torch.where(seen[:, None, None, :], s, -torch.inf)
    top = s.amax(-1, keepdim=True)
    top = torch.where(top == -torch.inf, 0.0, top)
    e = torch.exp(s - top)
    total = e.sum(-1, keepdim=True)
    out = torch.where(total > 0, (e @ value.to(w)) / total.clamp(min=1e-30), 0.0)
    return out.to(query.dtype), (top + total.log()).squeeze(-1)


def merge(outputs, lses):
    w = _wide(lses.dtype)
    lses = lses.to(w)
    top = lses.amax(0)
    top = torch.where(top == -torch.inf, 0.0, top)
    share = torch.exp(lses - top)
    total = share.sum(0)
    mixed = torch.einsum("sbhq,sbhqv->bhqv", share / total.clamp(min=1e-30), outputs.to(w))
    return mixed.to(outputs.dtype), top + total.log()


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    size = -(-n // splits)
    missing = size * splits - n
    pad = torch.nn.functional.pad
    ks = pad(key, (0, 0, 0, missing)).unflatten(2, (splits, size))
    vs = pad(value, (0, 0, 0, missing)).unflatten(2, (splits, size))
    seen = (torch.arange(splits * size, device=key.device) < lengths[:, None]).view(-1, splits, size)
    return merge(*vmap(chunk_attention, in_dims=(None, 2, 2, 1))(query, ks, vs, seen))[0]
