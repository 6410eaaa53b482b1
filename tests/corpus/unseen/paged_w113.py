import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, n_head, hs = query.shape
    block_size, n_kv = key_pool.shape[1:3]
    rep = n_head // n_kv

    # longest first, so that the heavy rows start early
    order = torch.argsort(lengths, descending=True)
    rows = []
    for b in order.tolist():
        T = int(lengths[b])
        table = block_table[b, : (T + block_size - 1) // block_size].long()
        k = key_pool[table].view(-1, n_kv, hs)[:T]  # (T, n_kv, hs)
        v = value_pool[table].view(-1, n_kv, hs)[:T]
        k = k.repeat_interleave(rep, dim=1).transpose(0, 1)  # (n_head, T, hs)
        v = v.repeat_interleave(rep, dim=1).transpose(0, 1)
        q = query[b].unsqueeze(1)  # (n_head, 1, hs)
        att = (q @ k.transpose(1, 2)) * (1.0 / hs ** 0.5)
        att = torch.softmax(att, dim=-1)
        rows.append((att @ v).squeeze(1))
    return torch.stack(rows, dim=0)
