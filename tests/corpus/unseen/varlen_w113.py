import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(lengths.cumsum(0), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=cu.device)
    doc = torch.bucketize(place, cu[1:])
    used = place < cu[-1]
    return (doc[:, None] == doc[None, :]) & used[:, None] & used[None, :]


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = lengths.tolist()
    sizes.append(query.shape[0] - sum(sizes))
    *packed, (empty, _, _) = zip(*(t.split(sizes) for t in (query, key, value)))
    rows = []
    for q, k, v in packed:
        q, k, v = (t.transpose(0, 1) for t in (q, k, v))  # heads, n, head_dim
        s = q @ k.mT / q.shape[-1] ** 0.5
        if causal:
            s = s + torch.full_like(s[0], float("-inf")).triu(1)
        rows.append((s.softmax(-1) @ v).transpose(0, 1))
    return torch.cat([*rows, torch.zeros_like(empty)])
