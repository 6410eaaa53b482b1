import torch


def cumulative_lengths(lengths):
    cu = torch.zeros(len(lengths) + 1, dtype=torch.int32, device=lengths.device)
    cu[1:] = torch.cumsum(lengths, 0)
    return cu


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    pos = torch.arange(total, device=lengths.device, dtype=cu.dtype)
    doc = torch.searchsorted(cu, pos)
    real = pos < cu[-1]
    return (doc[:, None] == doc[None, :]) & real[:, None] & real[None, :]


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    cu = cumulative_lengths(lengths).tolist()
    for lo, hi in zip(cu, cu[1:]):
        if lo == hi:
            continue
        q, k, v = (t[lo:hi].transpose(0, 1) for t in (query, key, value))
        if q.dtype.itemsize == 2:
            q, k, v = q.float(), k.float(), v.float()
        att = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        if causal:
            n = hi - lo
            att = att.masked_fill(~torch.ones(n, n, dtype=torch.bool, device=att.device).tril(), float("-inf"))
        out[lo:hi] = (att.softmax(-1) @ v).transpose(0, 1).to(out.dtype)
    return out
