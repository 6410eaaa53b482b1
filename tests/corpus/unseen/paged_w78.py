import torch
from torch import Tensor
from torch.nn import functional as F


def paged_attention(query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor) -> Tensor:
    B, H, D = query.shape
    S, G = key_pool.shape[1], key_pool.shape[2]
    T = block_table.shape[1] * S
    table = block_table.to(torch.int64)
    keys = key_pool.index_select(0, table.flatten()).view(B, T, G, D)
    values = value_pool.index_select(0, table.flatten()).view(B, T, G, D)
    q = query.view(B, G, H // G, D)
    logits = torch.einsum("bghd,btgd->bght", q, keys)
    is_past_end = torch.arange(T, device=query.device).expand(B, T) >= lengths.view(B, 1)
    logits = logits.masked_fill(is_past_end.view(B, 1, 1, T), torch.finfo(logits.dtype).min)
    probs = F.softmax(logits, dim=-1)
    return torch.einsum("bght,btgd->bghd", probs, values).reshape(B, H, D)
