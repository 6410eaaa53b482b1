# wrong: flash sum-not-divided line 19
# fair: sum-not-divided 18, 19
import torch


def flash_attention(query, key, value, block_size, causal=False):
    scale = query.shape[-1] ** -0.5
    best = torch.full(query.shape[:-1], float("-inf"), dtype=query.dtype, device=query.device)
    out = torch.zeros_like(query)
    rows = torch.arange(query.shape[2], device=query.device)
    for lo in range(0, query.shape[2], block_size):
        sim = torch.einsum("bhqd,bhkd->bhqk", query * scale, key[:, :, lo:lo + block_size])
        if causal:
            sim = sim.masked_fill(rows[None, lo:lo + block_size] > rows[:, None], float("-inf"))
        new = torch.maximum(best, sim.amax(-1))
        old_scale = torch.exp(best - new).unsqueeze(-1)
        best = new
        out = out * old_scale + torch.exp(sim - new.unsqueeze(-1)) @ value[:, :, lo:lo + block_size]
    return out
