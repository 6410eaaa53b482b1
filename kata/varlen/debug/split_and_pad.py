import torch
import torch.nn.functional as F


def cumulative_lengths(lengths: torch.Tensor) -> torch.Tensor:
    return F.pad(torch.cumsum(lengths, dim=0, dtype=torch.int32), (1, 0))


def document_mask(lengths: torch.Tensor, total: int) -> torch.Tensor:
    blocks = [torch.ones(n, n, dtype=torch.bool, device=lengths.device) for n in lengths.tolist()]
    mask = torch.block_diag(*blocks).bool()
    free = total - mask.shape[0]
    return F.pad(mask, (0, free, 0, free))


def _one(q, k, v, causal):
    n, _, d = q.shape
    q, k, v = (x.transpose(0, 1) for x in (q, k, v))
    att = (q * d ** -0.5) @ k.transpose(1, 2)
    if causal:
        att = att + torch.full((n, n), float("-inf"), dtype=q.dtype, device=q.device).triu(1)
    return (att.softmax(-1) @ v).transpose(0, 1)


def varlen_attention(query, key, value, lengths, causal=False):
    sizes = lengths.tolist()
    used = sum(sizes)
    parts = zip(query[:used].split(sizes), key[:used].split(sizes), value[:used].split(sizes))
    out = torch.cat([_one(q, k, v, causal) for q, k, v in parts])
    return F.pad(out, (0, 0, 0, 0, 0, query.shape[0] - used))
