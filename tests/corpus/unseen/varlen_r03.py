# query by query, nothing larger than one row of scores for all heads
import torch


def cumulative_lengths(lengths):
    cu = torch.zeros(lengths.numel() + 1, dtype=torch.int64, device=lengths.device)
    for i, n in enumerate(lengths.tolist()):
        cu[i + 1] = cu[i] + n
    return cu


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    inside = (place >= cu[:-1, None]) & (place < cu[1:, None])      # batch, total
    return (inside[:, :, None] & inside[:, None, :]).any(0)


def varlen_attention(query, key, value, lengths, causal=False):
    scale = query.shape[-1] ** -0.5
    cu = cumulative_lengths(lengths).tolist()
    rows = []
    for begin, end in zip(cu, cu[1:]):
        for i in range(begin, end):
            stop = i + 1 if causal else end
            k, v = key[begin:stop].double(), value[begin:stop].double()
            s = torch.einsum("hd,jhd->hj", query[i].double() * scale, k)
            e = (s - s.amax(1, keepdim=True)).exp()
            rows.append(torch.einsum("hj,jhd->hd", e / e.sum(1, keepdim=True), v).to(query.dtype))
    rows.extend(query.new_zeros(query.shape[1:]) for _ in range(query.shape[0] - cu[-1]))
    return torch.stack(rows) if rows else torch.zeros_like(query)
