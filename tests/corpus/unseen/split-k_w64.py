# attn-kata: split-k
# Layout of a decoding kernel: one "program" per chunk, then a reduction kernel.
import torch
from torch import Tensor

LOG2E = 1.4426950408889634
LN2 = 0.6931471805599453


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    acc = torch.promote_types(query.dtype, torch.float32)
    qk = torch.matmul(query.to(acc), key.to(acc).mT) * (query.shape[-1] ** -0.5 * LOG2E)
    qk = qk.masked_fill(seen.logical_not()[:, None, None], -torch.inf)
    m = qk.amax(-1, keepdim=True)
    m = m.masked_fill(m == -torch.inf, 0)
    p = torch.exp2(qk - m)
    l = p.sum(-1, keepdim=True)
    o = torch.matmul(p, value.to(acc)) / torch.where(l > 0, l, 1)
    return o.to(value.dtype), ((m + l.log2()) * LN2).squeeze(-1)


def merge(outputs: Tensor, lses: Tensor):
    acc = torch.promote_types(outputs.dtype, torch.float32)
    z = lses.to(acc)
    m = z.amax(0)
    m = m.masked_fill(m == -torch.inf, 0)
    p = (z - m).exp()
    l = p.sum(0)
    o = (p.unsqueeze(-1) * outputs.to(acc)).sum(0) / torch.where(l > 0, l, 1).unsqueeze(-1)
    return o.to(outputs.dtype), m + l.log()


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int):
    n = key.shape[2]
    per_program = (n + splits - 1) // splits
    lengths = lengths.to(key.device).unsqueeze(1)
    partial_o, partial_lse = [], []
    for pid in range(splits):
        lo = pid * per_program
        offs = torch.arange(lo, lo + per_program, device=key.device)
        offs = offs[offs < n]
        o, lse = chunk_attention(query, key[:, :, offs], value[:, :, offs], offs < lengths)
        partial_o.append(o)
        partial_lse.append(lse)
    return merge(torch.stack(partial_o), torch.stack(partial_lse))[0]
