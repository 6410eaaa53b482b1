# wrong: flash padding-not-masked line 12
# fair: padding-not-masked 11, 12, 13, 20
import torch
import torch.nn.functional as F


def flash_attention(query, key, value, block_size, causal=False):
    length = key.size(2)
    # make the length a multiple of the tile
    pad = (block_size - length % block_size) % block_size
    if pad:
        key = F.pad(key, (0, 0, 0, pad))
        value = F.pad(value, (0, 0, 0, pad))
    q_pos = torch.arange(length, device=query.device).view(-1, 1)
    mx = torch.full_like(query[..., :1], float("-inf"))
    den = torch.zeros_like(mx)
    num = torch.zeros_like(query)
    for start in range(0, length + pad, block_size):
        k_t, v_t = key[:, :, start:start + block_size], value[:, :, start:start + block_size]
        s = query @ k_t.transpose(2, 3) / query.size(-1) ** 0.5
        if causal:
            k_pos = torch.arange(start, start + block_size, device=query.device).view(1, -1)
            s = s.masked_fill(k_pos > q_pos, float("-inf"))
        new = torch.maximum(mx, s.amax(dim=-1, keepdim=True))
        w = (s - new).exp()
        fix = (mx - new).exp()
        den = den * fix + w.sum(dim=-1, keepdim=True)
        num = num * fix + w @ v_t
        mx = new
    return num / den
