import torch
from torch.func import vmap


def padding_mask(lengths, max_length):
    row = lambda n: torch.arange(max_length, device=lengths.device) < n
    return vmap(row)(lengths)


def key_mask(mask):
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask, heads):
    b, n = mask.shape
    s0, s1 = mask.stride()
    return mask.as_strided((b, heads, n, n), (s0, 0, 0, s1), mask.storage_offset())


def causal_mask(length):
    i = torch.arange(length)
    return vmap(lambda q: i <= q)(i)


def combined_mask(mask):
    i = torch.arange(mask.size(-1), device=mask.device)
    one = lambda row: vmap(lambda q: row & (i <= q))(i)
    return vmap(one)(mask).unsqueeze(1)


def masked_weights(scores, mask):
    hidden = mask == 0
    scores = scores.masked_fill(hidden, float("-inf"))
    scores = scores - scores.amax(-1, keepdim=True).detach()
    return torch.nn.functional.normalize(scores.exp(), p=1, dim=-1)


def additive_mask(mask, scores):
    zero = scores.new_zeros(())
    return torch.where(mask, zero, zero - float("inf"))
