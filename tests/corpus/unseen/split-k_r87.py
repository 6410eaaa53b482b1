"""Flash-decoding with an explicit chunk axis; the chunk function is vmapped over it."""
import math

import torch
import torch.nn.functional as F


def _f32(x):
    return x if x.dtype == torch.float64 else x.float()


def chunk_attention(query, key, value, seen):
    query, key, value = _f32(query), _f32(key), _f32(value)
    keep = seen[:, None, None, :]
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    logits = torch.where(keep, logits, -math.inf)
    peak = logits.amax(dim=-1, keepdim=True)
    peak = torch.where(peak == -math.inf, torch.zeros_like(peak), peak)
    unnorm = torch.exp(logits - peak)
    mass = unnorm.sum(dim=-1, keepdim=True)
    value = torch.where(seen[:, None, :, None], value, 0.0)
    out = torch.einsum("bhqk,bhkv->bhqv", unnorm, value) / torch.where(mass == 0, 1.0, mass)
    return out, (mass.log() + peak).squeeze(-1)


def merge(outputs, lses):
    outputs, lses = _f32(outputs), _f32(lses)
    peak = lses.amax(dim=0)
    peak = torch.where(peak == -math.inf, 0.0, peak)
    share = torch.exp(lses - peak)
    mass = share.sum(dim=0)
    outputs = torch.where(share[..., None] > 0, outputs, 0.0)
    mixed = torch.einsum("sbhq,sbhqv->bhqv", share, outputs)
    return mixed / torch.where(mass == 0, 1.0, mass)[..., None], mass.log() + peak


def _with_chunk_axis(x, axis, splits, size):
    x = x.unflatten(axis, (splits, size))
    return x.movedim(axis, 0)


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    size = -(-n // splits)
    extra = splits * size - n
    seen = torch.arange(n + extra, device=key.device)[None, :] < lengths.to(key.device)[:, None]
    k = _with_chunk_axis(F.pad(key, (0, 0, 0, extra)), 2, splits, size)
    v = _with_chunk_axis(F.pad(value, (0, 0, 0, extra)), 2, splits, size)
    m = _with_chunk_axis(seen, 1, splits, size)
    outs, lses = torch.vmap(chunk_attention, in_dims=(None, 0, 0, 0))(query, k, v, m)
    return merge(outs, lses)[0].to(query.dtype)
