import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.cat([lengths.new_zeros(1), lengths]).long().cumsum(0)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    # a 1 where a sequence begins; the running sum numbers them
    cu = cumulative_lengths(lengths)
    begins = torch.zeros(total, dtype=torch.long, device=lengths.device)
    begins[cu[:-1]] = 1
    number = begins.cumsum(0)
    filled = torch.arange(total, device=lengths.device) < cu[-1]
    same = number.unsqueeze(0) == number.unsqueeze(1)
    return same & filled.unsqueeze(0) & filled.unsqueeze(1)


def _scores(q: Tensor, k: Tensor, causal: bool) -> Tensor:
    s = torch.bmm(q.permute(1, 0, 2), k.permute(1, 2, 0)) * (q.size(-1) ** -0.5)
    if causal:
        i = torch.arange(q.size(0), device=q.device)
        s = torch.where(i[None, :] <= i[:, None], s, torch.finfo(s.dtype).min)
    return s


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    hp = torch.float64 if query.dtype == torch.float64 else torch.float32
    result = torch.zeros_like(query)
    cu = cumulative_lengths(lengths).tolist()
    for n, start in zip(lengths.tolist(), cu):
        at = slice(start, start + n)
        weights = _scores(query[at].to(hp), key[at].to(hp), causal).softmax(dim=2)
        result[at] = torch.bmm(weights, value[at].to(hp).transpose(0, 1)).transpose(0, 1).to(query.dtype)
    return result
