# wrong: split-k empty-chunk-counted line 29
# fair: empty-chunk-counted 29, 30
import torch


def chunk_attention(query, key, value, seen):
    dt = torch.promote_types(query.dtype, torch.float32)
    att = (query.to(dt) / query.shape[-1] ** 0.5) @ key.to(dt).mT
    hide = ~seen[:, None, None, :]
    att.masked_fill_(hide, float("-inf"))
    lse = att.logsumexp(dim=-1)
    prob = (att - lse.unsqueeze(-1)).exp_().masked_fill_(hide, 0)
    return (prob @ value.to(dt)).to(query.dtype), lse


def merge(outputs, lses):
    lse = lses.logsumexp(dim=0)
    w = (lses - lse).exp().nan_to_num(0.0)
    return (w.unsqueeze(-1).to(outputs.dtype) * outputs).sum(0), lse


def split_k_attention(query, key, value, lengths, splits):
    out, lse, start = [], [], 0
    for k, v in zip(key.tensor_split(splits, dim=2), value.tensor_split(splits, dim=2)):
        size = k.size(2)
        if size == 0:
            break
        # how many of this chunk's places are filled (an empty row would be NaN)
        filled = (lengths - start).clamp(1, size)
        seen = torch.arange(size, device=k.device).expand(len(lengths), -1) < filled.unsqueeze(1).to(k.device)
        o, l = chunk_attention(query, k, v, seen)
        out.append(o)
        lse.append(l)
        start += size
    merged, _ = merge(torch.stack(out), torch.stack(lse))
    return merged
