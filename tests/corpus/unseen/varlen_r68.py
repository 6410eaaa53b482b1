import torch
from itertools import pairwise


def cumulative_lengths(lengths):
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0))


def document_mask(lengths, total):
    blocks = [torch.ones(n, n) for n in lengths.tolist()]
    blocks.append(torch.zeros((total - int(lengths.sum()),) * 2))
    return torch.block_diag(*[b for b in blocks if b.numel()]).bool().reshape(total, total).to(lengths.device)


def varlen_attention(query, key, value, lengths, causal=False):
    # query by query and head by head at once: never more than (heads, place + 1) scores
    out = torch.zeros_like(query)
    rows = {}
    for a, z in pairwise(cumulative_lengths(lengths).tolist()):
        for i in range(a, z):
            end = i + 1 if causal else z
            s = (query[i, None] * key[a:end]).sum(-1) * query.shape[-1] ** -0.5
            w = s.softmax(0)
            rows[i] = torch.einsum("jh,jhd->hd", w, value[a:end])
    if not rows:
        return out
    return out.index_put((torch.tensor(list(rows), device=out.device),), torch.stack(list(rows.values())))
