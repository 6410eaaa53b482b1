# wrong: varlen padding-in-front line 35
import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    out = lengths.new_zeros(lengths.numel() + 1, dtype=torch.int32)
    out[1:] = lengths.cumsum(0)
    return out


def document_mask(lengths: Tensor, total: int) -> Tensor:
    blocks = [torch.ones(n, n, dtype=torch.bool) for n in lengths.tolist()]
    square = torch.block_diag(*blocks).bool().to(lengths.device)
    rest = total - square.size(0)
    return F.pad(square, (0, rest, 0, rest))


def _one(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    s = torch.einsum('qhd,khd->hqk', q, k) / q.size(-1) ** 0.5
    if causal:
        s = s + torch.full_like(s[0], float('-inf')).triu(1)
    return torch.einsum('hqk,khd->qhd', s.softmax(-1), v)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor,
                     causal: bool = False) -> Tensor:
    total = query.size(0)
    sizes = lengths.tolist()
    used = sum(sizes)
    parts = [t[:used].split(sizes) for t in (query, key, value)]
    packed = torch.cat([_one(q, k, v, causal) for q, k, v in zip(*parts)])
    # 空位补 0
    return F.pad(packed, (0, 0, 0, 0, total - used, 0))
