# wrong: varlen sequence-left-out line 25
import torch


def cumulative_lengths(lengths):
    acc, table = 0, [0]
    for n in lengths.tolist():
        acc += n
        table.append(acc)
    return torch.tensor(table, dtype=torch.int32, device=lengths.device)


def document_mask(lengths, total):
    label = torch.repeat_interleave(torch.arange(1, len(lengths) + 1, device=lengths.device), lengths)
    label = torch.cat([label, label.new_zeros(total - label.numel())])
    return (label[:, None] == label) & (label[:, None] > 0)


def varlen_attention(query, key, value, lengths, causal=False):
    total, H, D = query.shape
    cu = cumulative_lengths(lengths).tolist()
    out = query.new_zeros(total, H, D)
    for s, e in zip(cu[:-1], cu[1:]):
        T = e - s
        if T <= 1:  # nothing to attend to
            continue
        # (H, T, D)
        q = query[s:e].permute(1, 0, 2) * D ** -0.5
        k = key[s:e].permute(1, 2, 0)
        v = value[s:e].permute(1, 0, 2)
        w = q @ k
        if causal:
            w = w.masked_fill(~torch.ones(T, T, dtype=torch.bool, device=w.device).tril(), float('-inf'))
        out[s:e] = (torch.softmax(w, -1) @ v).permute(1, 0, 2)
    return out
