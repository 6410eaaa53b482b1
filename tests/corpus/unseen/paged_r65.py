import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    S, G = key_pool.shape[1], key_pool.shape[2]
    dev = query.device
    lengths = lengths.to(dev)
    T = int(lengths.max())
    t = torch.arange(T, device=dev)
    # slot number in the flattened pool
    slot = block_table.to(dev).long()[:, t // S].mul(S).add_(t % S)
    live = t < lengths.unsqueeze(1)
    slot = torch.where(live, slot, slot[:, :1])
    flat = slot.view(-1)
    k = key_pool.flatten(0, 1).index_select(0, flat).view(B, T, G, D)
    v = value_pool.flatten(0, 1).index_select(0, flat).view(B, T, G, D)
    k = k.permute(0, 2, 3, 1).reshape(B * G, D, T)
    v = v.transpose(1, 2).reshape(B * G, T, D)
    q = query.contiguous().view(B * G, H // G, D)
    add = torch.zeros(B, T, device=dev, dtype=query.dtype).masked_fill_(~live, float("-inf"))
    add = add.repeat_interleave(G, 0).unsqueeze(1)
    s = torch.baddbmm(add, q, k, alpha=D ** -0.5)
    return torch.bmm(s.softmax(-1), v).view(B, H, D)
