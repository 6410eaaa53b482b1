import torch
from torch import Tensor


def flat_index(table_row: Tensor, n: int, block_size: int) -> Tensor:
    """slot of token t in the flattened pool"""
    t = torch.arange(n, device=table_row.device)
    block = table_row[torch.div(t, block_size, rounding_mode="floor")]
    return block + t % block_size


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """q (kv_heads, group, d); k, v (n, kv_heads, d)"""
    logits = torch.matmul(q, k.permute(1, 2, 0)) / q.shape[-1] ** 0.5
    return torch.matmul(torch.softmax(logits, -1), v.permute(1, 0, 2))


@torch.inference_mode()
def paged_attention(query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor):
    nb, bs, n_kv, d = key_pool.shape
    kp, vp = key_pool.reshape(nb * bs, n_kv, d), value_pool.reshape(nb * bs, n_kv, d)
    context = []
    for q, row, n in zip(query, block_table.long(), lengths):
        idx = flat_index(row, int(n), bs)
        grouped = q.reshape(n_kv, -1, d)
        context.append(attend(grouped, kp[idx], vp[idx]).reshape(-1, d))
    return torch.stack(context, 0)
