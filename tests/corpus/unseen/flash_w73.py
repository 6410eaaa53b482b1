# attn-kata: flash
# FlashAttention-1 form: the output is normalised after every tile
import torch


def flash_attention(query, key, value, block_size, causal=False):
    n_pos = query.shape[2]
    scale = query.shape[3] ** -0.5
    index = torch.arange(n_pos, device=query.device)

    peak = torch.full_like(query[..., :1], float("-inf"))
    total = torch.zeros_like(peak)
    mean = torch.zeros_like(value)

    for keys, values, cols in zip(
        key.split(block_size, dim=2), value.split(block_size, dim=2), index.split(block_size)
    ):
        sim = torch.einsum("nhid,nhjd->nhij", query, keys) * scale
        if causal:
            sim = sim.masked_fill(cols > index.unsqueeze(1), float("-inf"))
        peak_new = torch.maximum(peak, sim.amax(dim=-1, keepdim=True))
        weight = torch.exp(sim - peak_new)
        decay = torch.exp(peak - peak_new)
        total = total * decay + weight.sum(dim=-1, keepdim=True)
        mean = (mean * (total * decay) + weight @ values) / total
        peak = peak_new
    return mean
