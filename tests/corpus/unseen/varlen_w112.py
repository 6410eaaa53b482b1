import torch


def cumulative_lengths(lengths):
    """0 in front, then where each sequence ends"""
    zero = torch.zeros(1, device=lengths.device)
    return torch.cat((zero, torch.cumsum(lengths, dim=0)))


def spans(lengths):
    cu = cumulative_lengths(lengths).int()
    for i in range(len(lengths)):
        yield slice(cu[i].item(), cu[i + 1].item())


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    for span in spans(lengths):
        mask[span, span] = True
    return mask


def attend(q, k, v, causal):
    """q, k, v (T, nh, hs)"""
    T, nh, hs = q.shape
    att = torch.einsum("inc,jnc->nij", q, k) / hs ** 0.5
    if causal:
        bias = torch.tril(torch.ones(T, T, device=q.device))
        att = att.masked_fill(bias == 0, float("-inf"))
    att = torch.softmax(att, dim=-1)
    return torch.einsum("nij,jnc->inc", att, v)


def varlen_attention(query, key, value, lengths, causal=False):
    y = torch.zeros_like(query)
    for span in spans(lengths):
        y[span] = attend(query[span], key[span], value[span], causal)
    return y
