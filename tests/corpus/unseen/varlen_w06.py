import torch


def cumulative_lengths(lengths):
    out = lengths.new_zeros(lengths.numel() + 1, dtype=torch.long)
    out[1:] = lengths.cumsum(dim=0)
    return out


def document_mask(lengths, total):
    mask = torch.zeros((total, total), dtype=torch.bool, device=lengths.device)
    bounds = cumulative_lengths(lengths)
    for start, stop in zip(bounds, bounds[1:]):
        mask[start:stop, start:stop] = True
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    scale = query.shape[2] ** 0.5
    out = query.new_zeros(query.shape)
    start = 0
    for n in lengths.tolist():
        span = slice(start, start + n)
        start += n
        if n < 2:
            continue  # nothing to mix
        q, k, v = query[span].transpose(0, 1), key[span].transpose(0, 1), value[span].transpose(0, 1)
        scores = q @ k.transpose(1, 2) / scale
        if causal:
            ok = torch.ones(n, n, dtype=torch.bool, device=query.device).tril()
            scores = torch.where(ok, scores, torch.finfo(scores.dtype).min)
        out = out.index_copy(0, torch.arange(span.start, span.stop, device=out.device), (scores.softmax(-1) @ v).transpose(0, 1))
    return out
