# right: split-k
import torch


def chunk_attention(query, key, value, seen):
    b, h, n, d = query.shape
    out = query.new_zeros(b, h, n, value.shape[-1])
    lse = query.new_full((b, h, n), float("-inf"))
    for i in range(b):
        picked = seen[i].nonzero().flatten()
        if picked.numel() == 0:
            continue
        k, v = key[i, :, picked], value[i, :, picked]
        s = query[i] @ k.transpose(1, 2) / d**0.5
        lse[i] = torch.logsumexp(s, -1)
        out[i] = torch.softmax(s, -1) @ v
    return out, lse


def merge(outputs, lses):
    w = lses.softmax(0)
    w[w.isnan()] = 0  # no chunk sees anything
    result = torch.zeros_like(outputs[0])
    for part, weight in zip(outputs, w):
        result = result + part * weight[..., None]
    return result, lses.logsumexp(0)


def split_k_attention(query, key, value, lengths, splits):
    total = key.shape[2]
    each = -(-total // splits)
    seen = torch.arange(total, device=key.device).expand(len(lengths), -1) < lengths.unsqueeze(-1)
    cut = [slice(i, i + each) for i in range(0, total, each)]
    both = [chunk_attention(query, key[:, :, c], value[:, :, c], seen[:, c]) for c in cut]
    return merge(torch.stack([one for one, _ in both]), torch.stack([two for _, two in both]))[0]
