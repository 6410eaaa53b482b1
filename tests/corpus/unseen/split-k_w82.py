import torch


def chunk_attention(query, key, value, seen):
    b, h, n, d = query.shape
    if not seen.any():
        # the chunk lies behind the end
        return (query.new_zeros(b, h, n, value.shape[-1]), query.new_full((b, h, n), float("-inf")))
    scores = torch.einsum("bhnd,bhmd->bhnm", query, key) * d ** -0.5
    lowest = torch.finfo(scores.dtype).min
    scores = torch.where(seen[:, None, None, :], scores, lowest)
    lse = torch.logsumexp(scores, dim=-1)
    output = torch.exp(scores - lse.unsqueeze(-1)) @ value
    return output, lse


def merge(outputs, lses):
    lse = torch.logsumexp(lses, dim=0)
    shift = lse.masked_fill(lse == float("-inf"), 0.0)
    share = torch.exp(lses - shift)
    return (share.unsqueeze(-1) * outputs).sum(dim=0), lse


def split_k_attention(query, key, value, lengths, splits):
    total = key.shape[2]
    size = -(-total // splits)
    at = torch.arange(total, device=key.device)
    seen = at[None, :] < lengths[:, None]
    outs, lses = [], []
    for lo in range(0, total, size):
        part = slice(lo, min(lo + size, total))
        o, s = chunk_attention(query, key[:, :, part], value[:, :, part], seen[:, part])
        outs.append(o)
        lses.append(s)
    return merge(torch.stack(outs), torch.stack(lses))[0]
