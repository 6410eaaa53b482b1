# wrong: flash normalised-per-tile line 19
import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    t, d = query.shape[-2:]
    out = torch.zeros_like(query)
    count = 0
    for s0 in range(0, t, block_size):
        s1 = min(s0 + block_size, t)
        s = torch.einsum('bhid,bhjd->bhij', query, key[:, :, s0:s1]) / math.sqrt(d)
        if causal:
            i = torch.arange(t, device=s.device).reshape(t, 1)
            j = torch.arange(s0, s1, device=s.device).reshape(1, s1 - s0)
            s = s.masked_fill(j > i, torch.finfo(s.dtype).min)

        # 每一块各做一次 softmax，再取平均
        w = torch.softmax(s, dim=-1)
        out = out + torch.einsum('bhij,bhjd->bhid', w, value[:, :, s0:s1])
        count += 1
    return out / count
