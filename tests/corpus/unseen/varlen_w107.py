import torch


def cumulative_lengths(lengths):
    edges = [0]
    for n in lengths.tolist():
        edges.append(edges[-1] + n)
    return torch.tensor(edges, dtype=torch.int32, device=lengths.device)


def _spans(lengths):
    cu = cumulative_lengths(lengths).tolist()
    for lo, hi in zip(cu, cu[1:]):
        # nothing to attend to in an empty one
        if hi - lo > 1:
            yield slice(lo, hi)


def document_mask(lengths, total):
    n = lengths.numel()
    ids = torch.arange(n, device=lengths.device).repeat_interleave(lengths.long())
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    used = ids.numel()
    mask[:used, :used] = ids.unsqueeze(0) == ids.unsqueeze(1)
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, d = query.shape
    out = torch.zeros_like(query)
    for span in _spans(lengths):
        n = span.stop - span.start
        mask = torch.ones(n, n, dtype=torch.bool, device=query.device)
        mask = mask.tril() if causal else mask
        per_head = []
        for h in range(heads):
            s = query[span, h] @ key[span, h].T / d**0.5
            p = torch.where(mask, s, -torch.inf).softmax(dim=1)
            per_head.append(p @ value[span, h])
        out[span] = torch.stack(per_head, dim=1)
    return out
