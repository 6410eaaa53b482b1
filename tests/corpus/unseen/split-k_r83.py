import functools

import torch


def chunk_attention(query, key, value, seen):
    f = torch.float64 if query.dtype == torch.float64 else torch.float32
    q, k, v = query.to(f), key.to(f), value.to(f)
    shown = seen[:, None, None]
    s = torch.matmul(q * q.size(-1) ** -0.5, k.mT)
    top = torch.where(shown, s, torch.finfo(f).min).amax(-1, keepdim=True)
    e = torch.where(shown, s - top, -torch.inf).exp()
    total = e.sum(-1)
    # an empty chunk: total is 0 and its log -inf; 0 / 1 is 0
    out = (e @ v) / torch.where(total > 0, total, 1.0)[..., None]
    return out, torch.where(total > 0, top[..., 0] + total.log(), -torch.inf)


def _pair(a, b):
    """(output, lse) and (output, lse) to (output, lse), where either may be empty"""
    (oa, la), (ob, lb) = a, b
    top = torch.maximum(la, lb)
    top = torch.where(top == -torch.inf, 0.0, top)
    wa, wb = (la - top).exp(), (lb - top).exp()
    total = wa + wb
    safe = torch.where(total > 0, total, 1.0)
    return oa * (wa / safe)[..., None] + ob * (wb / safe)[..., None], top + total.log()


def merge(outputs, lses):
    f = torch.float64 if outputs.dtype == torch.float64 else torch.float32
    return functools.reduce(_pair, zip(outputs.to(f), lses.to(f)))


def split_k_attention(query, key, value, lengths, splits):
    n = key.size(2)
    size = (n + splits - 1) // splits

    def chunks():
        for start in range(0, n, size):
            k, v = key[:, :, start : start + size], value[:, :, start : start + size]
            left = lengths.to(key.device)[:, None] - start  # how many of this chunk's keys are real
            yield chunk_attention(query, k, v, torch.arange(k.size(2), device=key.device) < left)

    # merged one after another: only two partial results live at a time
    out, _ = functools.reduce(_pair, chunks())
    return out.to(query.dtype)
