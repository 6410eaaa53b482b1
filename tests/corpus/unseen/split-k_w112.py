import math
import torch


def chunk_attention(query, key, value, seen):
    acc_t = torch.double if query.dtype == torch.double else torch.float
    s = torch.matmul(query.to(acc_t), key.to(acc_t).transpose(2, 3)) * (1.0 / math.sqrt(query.size(3)))
    s = s.masked_fill(seen.logical_not()[:, None, None, :], -math.inf)
    p = torch.softmax(s, dim=3)
    lse = torch.logsumexp(s, dim=3)
    return torch.matmul(p, value.to(acc_t)), lse


def merge(outputs, lses):
    acc_t = torch.double if outputs.dtype == torch.double else torch.float
    outputs, lses = outputs.to(acc_t), lses.to(acc_t)
    n_split = outputs.size(0)
    lse_max = lses[0]
    for i in range(1, n_split):
        lse_max = torch.maximum(lse_max, lses[i])
    lse_max = torch.where(torch.isinf(lse_max), torch.zeros_like(lse_max), lse_max)
    acc = torch.zeros_like(outputs[0])
    den = torch.zeros_like(lse_max)
    for i in range(n_split):
        w = torch.exp(lses[i] - lse_max)
        den = den + w
        acc = acc + w.unsqueeze(-1) * outputs[i]
    lse = torch.log(den) + lse_max
    den = torch.where(den == 0, torch.ones_like(den), den)
    return acc / den.unsqueeze(-1), lse


def split_k_attention(query, key, value, lengths, splits):
    seqlen_k = key.size(2)
    chunk = (seqlen_k + splits - 1) // splits
    n_split = (seqlen_k + chunk - 1) // chunk
    partial_o, partial_lse = [], []
    for i in range(n_split):
        k_begin = i * chunk
        k_end = min(k_begin + chunk, seqlen_k)
        idx = torch.arange(k_begin, k_end, device=key.device)
        valid = idx.unsqueeze(0) < lengths.to(key.device).unsqueeze(1)
        o, lse = chunk_attention(query, key[:, :, k_begin:k_end], value[:, :, k_begin:k_end], valid)
        partial_o.append(o)
        partial_lse.append(lse)
    o, _ = merge(torch.stack(partial_o), torch.stack(partial_lse))
    return o.to(query.dtype)
