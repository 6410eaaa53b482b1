import math

import torch
from torch import Tensor


def lengths_to_cu_seqlens(seqlens: Tensor) -> Tensor:
    cu_seqlens = seqlens.new_zeros(seqlens.shape[0] + 1)
    torch.cumsum(seqlens, dim=0, out=cu_seqlens[1:])
    return cu_seqlens.int()


def doc_mask(seqlens: Tensor, total: int) -> Tensor:
    used = int(seqlens.sum())
    ids = torch.repeat_interleave(torch.arange(len(seqlens), device=seqlens.device), seqlens)
    ids = torch.cat([ids, ids.new_full((total - used,), len(seqlens))])
    live = torch.arange(total, device=seqlens.device) < used
    return torch.eq(ids[:, None], ids[None, :]) & live[:, None] & live[None, :]


def flash_attn_varlen_func(q: Tensor, k: Tensor, v: Tensor, seqlens: Tensor, causal: bool = False) -> Tensor:
    softmax_scale = 1.0 / math.sqrt(q.shape[-1])
    cu_seqlens = lengths_to_cu_seqlens(seqlens)
    out = torch.zeros_like(q)
    for i in range(cu_seqlens.numel() - 1):
        begin, end = cu_seqlens[i].item(), cu_seqlens[i + 1].item()
        seqlen = end - begin
        s = torch.bmm(q[begin:end].transpose(0, 1), k[begin:end].permute(1, 2, 0)).mul(softmax_scale)
        if causal:
            s.masked_fill_(torch.ones(seqlen, seqlen, device=q.device).triu(1).bool(), torch.finfo(s.dtype).min)
        lse = torch.logsumexp(s, dim=-1, keepdim=True)
        p = torch.exp(s - lse)
        out[begin:end] = torch.bmm(p, v[begin:end].transpose(0, 1)).transpose(0, 1)
    return out
