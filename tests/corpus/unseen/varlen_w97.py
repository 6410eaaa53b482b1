import torch
import torch.nn.functional as F


def cumulative_lengths(lengths):
    return F.pad(torch.cumsum(lengths, dim=0, dtype=torch.int32), (1, 0))


def document_mask(lengths, total):
    ids = torch.full((total,), -1, device=lengths.device)
    cu = cumulative_lengths(lengths).tolist()
    for n, (lo, hi) in enumerate(zip(cu, cu[1:])):
        ids[lo:hi] = n
    return ids.unsqueeze(0).eq(ids.unsqueeze(1)) & ids.ge(0)


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, dim = query.shape
    cu = cumulative_lengths(lengths).tolist()
    out = torch.zeros_like(query)
    for lo, hi in zip(cu[:-1], cu[1:]):
        if hi == lo:
            break
        q, k, v = query[lo:hi], key[lo:hi], value[lo:hi]
        s = torch.einsum("ihd,jhd->hij", q, k) * dim**-0.5
        if causal:
            i = torch.arange(hi - lo, device=s.device)
            s = s.masked_fill(i[None, :] > i[:, None], float("-inf"))
        out[lo:hi] = torch.einsum("hij,jhd->ihd", torch.softmax(s, dim=-1), v)
    return out
