import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    cu = cumulative_lengths(lengths).tolist()
    for i in range(len(cu) - 1):
        mask[cu[i]:cu[i + 1], cu[i]:cu[i + 1]] = True
    return mask


def sdpa(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """q, k, v: (places, heads, head_dim)"""
    n, heads, dim = q.shape
    q = q.reshape(heads, n, dim)
    k = k.reshape(heads, n, dim)
    v = v.reshape(heads, n, dim)
    logits = torch.matmul(q, k.transpose(1, 2)) / dim**0.5
    if causal:
        i = torch.arange(n, device=q.device)
        logits = logits.masked_fill(i[None, :] > i[:, None], -torch.inf)
    return torch.matmul(logits.softmax(-1), v).reshape(n, heads, dim)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    outputs = []
    at = 0
    for n in lengths.tolist():
        if n > 0:
            window = slice(at, at + n)
            outputs.append(sdpa(query[window], key[window], value[window], causal))
        at += n
    outputs.append(query.new_zeros(query.shape[0] - at, *query.shape[1:]))
    return torch.cat(outputs)
