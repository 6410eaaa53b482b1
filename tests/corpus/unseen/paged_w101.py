import torch
from torch import Tensor


def block_attention(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """q (kv_heads, group, d); k, v (tokens, kv_heads, d): one block by itself."""
    scores = torch.einsum("kgd,tkd->kgt", q, k)
    out = torch.einsum("kgt,tkd->kgd", torch.softmax(scores, dim=-1), v)
    return out, scores.amax(dim=-1)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    _, block_size, kv_heads, head_dim = key_pool.shape
    precise = torch.float64 if query.dtype == torch.float64 else torch.float32
    result = torch.empty_like(query)
    for b in range(query.shape[0]):
        remaining = int(lengths[b])
        q = query[b].to(precise).reshape(kv_heads, -1, head_dim) / head_dim**0.5
        outs, tops = [], []
        for number in block_table[b].tolist():
            if remaining <= 0:
                break
            n = min(remaining, block_size)
            o, top = block_attention(q, key_pool[number, :n].to(precise), value_pool[number, :n].to(precise))
            outs.append(o)
            tops.append(top)
            remaining -= n
        share = torch.softmax(torch.stack(tops), dim=0)
        merged = (share.unsqueeze(-1) * torch.stack(outs)).sum(dim=0)
        result[b] = merged.reshape(-1, head_dim).to(query.dtype)
    return result
