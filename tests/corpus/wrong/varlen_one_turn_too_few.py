# wrong: varlen sequence-left-out line 23
import torch


def cumulative_lengths(lengths):
    total = 0
    result = [0]
    for n in lengths:
        total += int(n)
        result.append(total)
    return torch.tensor(result, device=lengths.device)


def document_mask(lengths, total):
    inside = [torch.ones(int(n), int(n), device=lengths.device) for n in lengths]
    inside.append(torch.zeros(total - int(lengths.sum()), total - int(lengths.sum()), device=lengths.device))
    return torch.block_diag(*inside) == 1


def varlen_attention(query, key, value, lengths, causal=False):
    cu_seqlens = cumulative_lengths(lengths)
    out = torch.zeros_like(query)
    for i in range(len(cu_seqlens) - 2):
        span = slice(int(cu_seqlens[i]), int(cu_seqlens[i + 1]))
        q, k, v = query[span], key[span], value[span]
        logits = torch.einsum("qhd,khd->hqk", q, k) / q.size(-1) ** 0.5
        if causal:
            n = q.size(0)
            ahead = torch.arange(n, device=q.device)[None, :] > torch.arange(n, device=q.device)[:, None]
            logits = logits.masked_fill(ahead, float("-inf"))
        out[span] = torch.einsum("hqk,khd->qhd", logits.softmax(dim=-1), v)
    return out
