# wrong: split-k max-over-all line 14
import torch


def chunk_attention(query, key, value, seen):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~seen[:, None, None], float("-inf"))
    lse = scores.logsumexp(-1)
    probs = scores.softmax(-1).masked_fill(~seen[:, None, None], 0.0)
    return torch.einsum("bhqk,bhkv->bhqv", probs, value), lse


def merge(outputs, lses):
    top = lses.max()
    if top == float("-inf"):
        return torch.zeros_like(outputs[0]), lses[0].clone()
    w = torch.exp(lses - top)
    total = w.sum(dim=0)
    merged = (w.unsqueeze(-1) * outputs).sum(dim=0)
    merged = merged / total.clamp_min(torch.finfo(total.dtype).tiny).unsqueeze(-1)
    return merged, top + torch.log(total)


def split_k_attention(query, key, value, lengths, splits):
    positions = torch.arange(key.shape[2], device=key.device)
    outs, lses = [], []
    for idx in torch.tensor_split(positions, splits):
        if idx.numel() == 0:
            continue
        seen = idx[None, :] < lengths[:, None]
        o, l = chunk_attention(query, key[:, :, idx], value[:, :, idx], seen)
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0]
