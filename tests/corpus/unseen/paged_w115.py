import torch
import torch.nn.functional as F

def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, nh, hs = query.shape
    NB, BS, nkv, _ = key_pool.shape
    dt = torch.promote_types(query.dtype, torch.float32)

    # flatten the pool to one long list of slots
    kflat = key_pool.reshape(NB * BS, nkv, hs)
    vflat = value_pool.reshape(NB * BS, nkv, hs)

    y = []
    for b in range(B):
        T = int(lengths[b])
        pos = torch.arange(T, device=query.device)
        slots = block_table[b].long()[pos // BS] * BS + pos % BS # (T,)
        k, v = kflat[slots].to(dt), vflat[slots].to(dt) # (T, nkv, hs)
        if nkv != nh:
            # every kv head is read by several query heads
            k = k.repeat(1, nh // nkv, 1)
            v = v.repeat(1, nh // nkv, 1)
        k = k.transpose(0, 1) # (nh, T, hs)
        v = v.transpose(0, 1) # (nh, T, hs)
        q = query[b].to(dt).unsqueeze(1) # (nh, 1, hs)
        att = (q @ k.transpose(-2, -1)) * (1.0 / hs ** 0.5) # (nh, 1, T)
        att = F.softmax(att, dim=-1)
        y.append((att @ v).squeeze(1)) # (nh, hs)
    return torch.stack(y).to(query.dtype)
