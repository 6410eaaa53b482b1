import torch


def chunk_attention(query, key, value, seen):
    scores = torch.matmul(query, key.mT) * query.shape[-1] ** -0.5
    scores = torch.where(seen[:, None, None], scores, float("-inf"))
    lse = torch.logsumexp(scores, -1)
    w = torch.exp(scores - lse[..., None])
    w = torch.where(seen[:, None, None], w, 0.0)
    return torch.matmul(w, value), lse


def merge(outputs, lses):
    total = torch.logsumexp(lses, 0)
    shift = torch.where(total == float("-inf"), torch.zeros_like(total), total)
    return torch.einsum("s...,s...v->...v", torch.exp(lses - shift), outputs), total


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    size = max(n // splits, 1)
    pos = torch.arange(n, device=key.device)
    mask = pos < lengths.to(pos.device).view(-1, 1)
    results = [
        chunk_attention(query, key[:, :, a : a + size], value[:, :, a : a + size], mask[:, a : a + size])
        for a in range(0, min(n, size * splits), size)
    ]
    o, l = map(torch.stack, zip(*results))
    return merge(o, l)[0]
