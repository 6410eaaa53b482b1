import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    d = query.shape[-1]
    att = (query / d ** 0.5) @ key.transpose(2, 3)
    att.masked_fill_(seen[:, None, None, :] == 0, -torch.inf)
    lse = att.logsumexp(dim=-1)
    prob = (att - lse.clamp(min=torch.finfo(att.dtype).min)[..., None]).exp()
    return prob @ value, lse


def merge(outputs: Tensor, lses: Tensor):
    total = torch.logsumexp(lses, 0)
    floor = total.clamp(min=torch.finfo(total.dtype).min)
    shares = torch.exp(lses - floor)
    return torch.sum(shares.unsqueeze(-1) * outputs, 0), total


def plan(n: int, splits: int):
    """(start, end) of each chunk"""
    splits = min(splits, n)
    width = n // splits
    return [(i * width, (i + 1) * width) for i in range(splits)]


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int):
    acc_out, acc_lse = None, None
    for lo, hi in plan(key.shape[2], splits):
        seen = torch.arange(lo, hi, device=lengths.device).expand(len(lengths), -1) < lengths[:, None]
        o, l = chunk_attention(query, key[..., lo:hi, :], value[..., lo:hi, :], seen)
        if acc_out is None:
            acc_out, acc_lse = o, l
        else:
            acc_out, acc_lse = merge(torch.stack((acc_out, o)), torch.stack((acc_lse, l)))
    return acc_out
