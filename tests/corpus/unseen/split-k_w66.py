# attn-kata: split-k
import torch


def chunk_attention(query, key, value, seen):
    f = torch.promote_types(query.dtype, torch.float32)
    s = (query.to(f) / query.shape[-1] ** 0.5) @ key.to(f).mT
    s = s.masked_fill(~seen[:, None, None], -torch.inf)
    p = s.softmax(-1).nan_to_num(0.0)
    return (p @ value.to(f)).to(value.dtype), s.logsumexp(-1)


def merge(outputs, lses):
    f = torch.promote_types(outputs.dtype, torch.float32)
    share = lses.to(f).softmax(0).nan_to_num(0.0)
    return torch.einsum("sbhq,sbhqe->bhqe", share, outputs.to(f)).to(outputs.dtype), lses.to(f).logsumexp(0)


def split_k_attention(query, key, value, lengths, splits):
    query = query.to(torch.promote_types(query.dtype, torch.float32)) * query.shape[-1] ** -0.5
    n = key.shape[2]
    seen = torch.arange(n, device=key.device) < lengths.to(key.device)[:, None]
    size = max(1, -(-n // splits))
    parts = [chunk_attention(query, k, v, m) for k, v, m in zip(key.split(size, 2), value.split(size, 2), seen.split(size, 1))]
    return merge(*map(torch.stack, zip(*parts)))[0]
