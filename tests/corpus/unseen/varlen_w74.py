# packed batches, one draw call for each sequence
import torch


def cumulative_lengths(lengths):
    zero = torch.zeros(1, dtype=torch.int64, device=lengths.device)
    return torch.cat([zero, lengths.to(torch.int64).cumsum(0)])


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    # how many sequences have ended at or before this place
    owner = torch.searchsorted(cu[1:].contiguous(), place, right=True)
    used = place < cu[-1]
    same = owner.unsqueeze(1) == owner.unsqueeze(0)
    return same & used.unsqueeze(1) & used.unsqueeze(0)


def _attend(q, k, v, causal):
    n, _, d = q.shape
    s = torch.einsum("ihd,jhd->hij", q, k) * d**-0.5
    if causal:
        i = torch.arange(n, device=q.device)
        s = s.masked_fill(i[None, :] > i[:, None], -torch.inf)
    return torch.einsum("hij,jhd->ihd", torch.softmax(s, dim=-1), v)


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    begin = 0
    for n in lengths.tolist():
        if n == 0: # nothing to draw
            break
        end = begin + n
        out[begin:end] = _attend(query[begin:end], key[begin:end], value[begin:end], causal)
        begin = end
    return out
