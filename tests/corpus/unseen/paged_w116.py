import math
import torch

# 分页 KV cache 的解码注意力（一个序列一个序列地做）


def collect(pool, row, length):
    # 把一个序列的所有块拼成 (length, kv_heads, head_dim)
    bs = pool.shape[1]
    need = math.ceil(length / bs)   # 需要几个块
    parts = []
    for i in range(need):
        blk = pool[row[i]]
        if i == need - 1:
            # 最后一块只用前面一部分
            blk = blk[: length % bs]
        parts.append(blk)
    return torch.cat(parts, dim=0)


def one_head(q, k, v, scale):
    # q (d,)  k, v (t, d)
    s = (k * q).sum(dim=1) * scale
    w = torch.softmax(s, dim=0)
    return (w.unsqueeze(1) * v).sum(dim=0)


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, d = query.shape
    group = heads // key_pool.shape[2]
    out = torch.zeros_like(query)
    half = query.dtype in (torch.float16, torch.bfloat16)
    for b in range(batch):
        n = lengths[b].item()
        row = block_table[b].tolist()
        k = collect(key_pool, row, n)
        v = collect(value_pool, row, n)
        q = query[b]
        if half:
            # 半精度先转成 float32 再算
            q, k, v = q.float(), k.float(), v.float()
        for h in range(heads):
            g = h // group   # 第几个 kv 头
            out[b, h] = one_head(q[h], k[:, g], v[:, g], 1 / math.sqrt(d))
    return out
