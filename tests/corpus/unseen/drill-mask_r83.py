import torch


def padding_mask(lengths, max_length):
    rows = lengths.new_zeros(len(lengths), max_length, dtype=torch.bool)
    for row, n in zip(rows, lengths.tolist()):
        row[:n] = True
    return rows


def key_mask(mask):
    b, n = mask.shape
    sb, sn = mask.stride()
    return mask.as_strided((b, 1, 1, n), (sb, 0, 0, sn))


def expanded_mask(mask, heads):
    b, n = mask.shape
    sb, sn = mask.stride()
    return mask.as_strided((b, heads, n, n), (sb, 0, 0, sn))


def causal_mask(length):
    return torch.ones(length, length).triu(1).eq(0)


def combined_mask(mask):
    # row i keeps the keys up to i and drops the rest
    return torch.tril(mask[:, None, None].repeat(1, 1, mask.size(1), 1))


def masked_weights(scores, mask):
    shown = mask.bool()
    s = torch.where(shown, scores, -torch.inf)
    top = s.detach().amax(-1, keepdim=True).clamp_min(torch.finfo(s.dtype).min)
    e = (s - top).exp()
    return e / e.sum(-1, keepdim=True)


def additive_mask(mask, scores):
    out = scores.new_full(mask.shape, -torch.inf)
    out[mask] = 0
    return out
