import math
import torch


def chunk_attention(query, key, value, seen):
    rt = torch.float64 if query.dtype == torch.float64 else torch.float32
    logits = (query.to(rt) @ key.to(rt).transpose(-1, -2)) * (1.0 / math.sqrt(query.shape[-1]))
    logits = torch.where(seen[:, None, None, :], logits, -math.inf)
    lse = torch.logsumexp(logits, dim=-1)
    # softmax of a row of -inf is NaN: such a sequence has nothing in this chunk
    w = torch.softmax(logits, dim=-1)
    w = torch.where(seen.any(dim=-1)[:, None, None, None], w, 0.0)
    return w @ value.to(rt), lse


def merge(outputs, lses):
    lse = torch.logsumexp(lses, dim=0)
    share = torch.exp(lses - torch.where(lse.isinf(), 0.0, lse))
    return torch.sum(share.unsqueeze(-1) * outputs, dim=0), lse


def split_k_attention(query, key, value, lengths, splits):
    """One chunk after the other into a running pair; nothing is kept but that."""
    b, h, nq, _ = query.shape
    nk, nv = value.shape[2:]
    rt = torch.promote_types(query.dtype, torch.float32)
    out = torch.zeros(b, h, nq, nv, dtype=rt, device=query.device)
    lse = torch.zeros(b, h, nq, dtype=rt, device=query.device)

    edges = torch.linspace(0, nk, splits + 1).round().long().tolist()
    for lo, hi in zip(edges, edges[1:]):
        if lo == hi:
            continue
        valid = torch.arange(lo, hi, device=query.device).expand(b, -1) < lengths.view(b, 1)
        o, l = chunk_attention(query, key[..., lo:hi, :], value[..., lo:hi, :], valid)
        out, lse = merge(torch.stack([out, o]), torch.stack([lse, l]))
    return out.to(query.dtype)
