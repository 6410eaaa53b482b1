import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    """One masked matmul over the whole pool: order does not matter to a softmax,
    so it is enough to know to whom every slot of the pool belongs."""
    B, H, D = query.shape
    N, S, G, _ = key_pool.shape
    dev = query.device

    # reverse table: who owns a block, and how many of its slots are filled
    owner = torch.full((N,), -1, dtype=torch.long)
    filled = torch.zeros(N, dtype=torch.long)
    for b in range(B):
        left = int(lengths[b])
        for blk in block_table[b].tolist():
            if left <= 0:
                break
            owner[blk] = b
            filled[blk] = min(left, S)
            left -= S

    slot_ok = torch.arange(S)[None, :] < filled[:, None]                      # N S
    mine = (owner[None, :, None] == torch.arange(B)[:, None, None]) & slot_ok  # B N S
    mine = mine.reshape(B, 1, 1, N * S).to(dev)

    kk = key_pool.reshape(N * S, G, D).transpose(0, 1).double()               # G NS D
    vv = value_pool.reshape(N * S, G, D).transpose(0, 1).double()
    qq = query.reshape(B, G, H // G, D).double() * D ** -0.5
    sc = torch.einsum("bgrd,gtd->bgrt", qq, kk)
    sc = torch.where(mine, sc, torch.full_like(sc, torch.finfo(sc.dtype).min))
    pr = torch.softmax(sc, -1)
    vv = torch.nan_to_num(vv)
    return torch.einsum("bgrt,gtd->bgrd", pr, vv).reshape(B, H, D).to(query.dtype)
