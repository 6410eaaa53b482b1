# wrong: paged table-ignored line 10
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    N, P, G, _ = key_pool.shape
    M = block_table.shape[1]
    # the first B * M blocks, sequence after sequence
    k = key_pool[: B * M].reshape(B, M * P, G, D)
    v = value_pool[: B * M].reshape(B, M * P, G, D)
    k = k.repeat_interleave(H // G, 2).transpose(1, 2)
    v = v.repeat_interleave(H // G, 2).transpose(1, 2)
    s = (query.unsqueeze(2) @ k.mT).squeeze(2) / D**0.5
    pad = torch.arange(M * P, device=query.device) >= lengths[:, None]
    s = s.masked_fill(pad[:, None], float("-inf"))
    return (s.softmax(-1).unsqueeze(2) @ v).squeeze(2)
