# wrong: drill-mask max-over-hidden line 37
# fair: max-over-hidden 36, 37
import torch


def padding_mask(lengths, max_length):
    # a running count of ones is at most the length
    ones = torch.ones(len(lengths), max_length, dtype=torch.long, device=lengths.device)
    return ones.cumsum(1) <= lengths[:, None]


def key_mask(mask):
    return mask.unflatten(1, (1, 1, -1))


def expanded_mask(mask, heads):
    b, t = mask.shape
    s0, s1 = mask.stride()
    return mask.as_strided((b, heads, t, t), (s0, 0, 0, s1))


def causal_mask(length):
    i = torch.arange(length)
    return (i[:, None] - i[None, :]) >= 0


def combined_mask(mask):
    t = mask.shape[1]
    causal = torch.ones(t, t, device=mask.device).tril()
    product = torch.einsum("bj,ij->bij", mask.float(), causal)
    return product.unsqueeze(1) > 0.5


def masked_weights(scores, mask):
    seen = (mask != 0).to(scores.dtype)
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * seen
    return powers / powers.sum(-1, keepdim=True).clamp_min(1e-6)


def additive_mask(mask, scores):
    empty = torch.empty_like(mask, dtype=scores.dtype)
    empty.fill_(float("-inf"))
    return empty.masked_fill_(mask, 0)
