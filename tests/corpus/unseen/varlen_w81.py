import torch


def cumulative_lengths(lengths):
    cu = torch.zeros(len(lengths) + 1, dtype=torch.int64, device=lengths.device)
    cu[1:] = torch.cumsum(lengths, dim=0)
    return cu


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    cu = cumulative_lengths(lengths)
    for lo, hi in zip(cu[:-1], cu[1:]):
        mask[lo:hi, lo:hi] = True
    return mask


def stable_exp(scores):
    """exp that cannot overflow, scores (heads, n, n)"""
    peak = torch.amax(scores, dim=(1, 2), keepdim=True).detach()
    return torch.exp(scores - peak)


def varlen_attention(query, key, value, lengths, causal=False):
    scale = query.shape[-1] ** -0.5
    pieces = []
    start = 0
    for n in lengths.tolist():
        n = int(n)
        q, k, v = (t[start : start + n].permute(1, 0, 2) for t in (query, key, value))
        start += n
        if n == 0:
            continue
        s = torch.bmm(q, k.transpose(1, 2)) * scale
        if causal:
            i = torch.arange(n, device=s.device)
            s = s.masked_fill(i[None, :] > i[:, None], float("-inf"))
        e = stable_exp(s)
        w = e / e.sum(dim=-1, keepdim=True)
        pieces.append(torch.bmm(w, v).permute(1, 0, 2))
    pieces.append(torch.zeros_like(query[start:]))
    return torch.cat(pieces, dim=0)
