# wrong: split-k lse-of-some line 21
# fair: lse-of-some 16, 21
import torch


def chunk_attention(query, key, value, seen):
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5
    scores = scores.masked_fill(~seen[:, None, None], float("-inf"))
    lse = torch.logsumexp(scores, dim=-1)
    p = torch.exp(scores - lse.unsqueeze(-1)).nan_to_num(0.0)
    return p @ value, lse


def merge(outputs, lses):
    out, lse = outputs[0], lses[0]
    for other, other_lse in zip(outputs[1:], lses[1:]):
        both = torch.logaddexp(lse, other_lse)
        a = torch.exp(lse - both).nan_to_num(0.0).unsqueeze(-1)
        b = torch.exp(other_lse - both).nan_to_num(0.0).unsqueeze(-1)
        out, lse = out * a + other * b, both
    return out, lses[-1]


def split_k_attention(query, key, value, lengths, splits):
    total = key.shape[2]
    size = (total + splits - 1) // splits
    seen = torch.arange(total, device=key.device) < lengths[:, None]
    parts = [
        chunk_attention(query, key[:, :, i:i + size], value[:, :, i:i + size], seen[:, i:i + size])
        for i in range(0, total, size)
    ]
    return merge(torch.stack([p[0] for p in parts]), torch.stack([p[1] for p in parts]))[0]
