import torch
import torch.nn.functional as F


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    # make every tile the same size
    extra = -n % block_size
    key_tiles = F.pad(key, (0, 0, 0, extra)).split(block_size, dim=2)
    value_tiles = F.pad(value, (0, 0, 0, extra)).split(block_size, dim=2)

    q = query / d**0.5
    qpos = torch.arange(n, device=query.device)[:, None]

    o, row_sum, row_max = None, None, None
    for t, (kt, vt) in enumerate(zip(key_tiles, value_tiles)):
        sim = torch.einsum("bhid,bhjd->bhij", q, kt)
        if causal:
            kpos = t * block_size + torch.arange(block_size, device=query.device)
            sim.masked_fill_(kpos > qpos, float("-inf"))
        tile_max = sim.amax(dim=-1)
        if o is None:
            row_max = tile_max
            e = torch.exp(sim - row_max[..., None])
            row_sum = e.sum(dim=-1)
            o = torch.einsum("bhij,bhjd->bhid", e, vt)
            continue
        new_max = torch.max(row_max, tile_max)
        shrink = torch.exp(row_max - new_max)
        e = torch.exp(sim - new_max[..., None])
        row_sum = row_sum * shrink + e.sum(dim=-1)
        o = o * shrink[..., None] + torch.einsum("bhij,bhjd->bhid", e, vt)
        row_max = new_max
    return o / row_sum[..., None]
