import torch
import torch.nn.functional as F


def flash_attention(query, key, value, block_size, causal=False):
    """
    Beginner-friendly: first walk over all the tiles to find the max and the sum (two scalars per query),
    then... no, one walk is enough if we correct what we have. A column of ones rides along with the
    values, so the sum of the exponentials is just one more output feature.
    """
    B, H, N, D = query.shape
    value_and_one = F.pad(value, (0, 1), value=1.0)                 # (B, H, N, D + 1)
    running_max = None
    numerator_and_sum = None
    tile_start = 0
    while tile_start < N:
        tile_end = min(tile_start + block_size, N)
        tile_k = key[:, :, tile_start:tile_end]
        tile_v = value_and_one[:, :, tile_start:tile_end]
        # in the causal case, queries before this tile have nothing to do with it
        q0 = tile_start if causal else 0
        scores = torch.matmul(query[:, :, q0:] * D ** -0.5, tile_k.transpose(2, 3))
        if causal:
            q_pos = torch.arange(q0, N, device=query.device).view(-1, 1)
            k_pos = torch.arange(tile_start, tile_end, device=query.device).view(1, -1)
            scores = scores.masked_fill(k_pos > q_pos, -float("inf"))
        tile_max = scores.max(dim=-1, keepdim=True).values
        if running_max is None:
            running_max = tile_max.clone()
            numerator_and_sum = torch.matmul((scores - tile_max).exp(), tile_v)
        else:
            old_max = running_max[:, :, q0:].clone()
            new_max = torch.max(old_max, tile_max)
            fresh = torch.matmul((scores - new_max).exp(), tile_v)
            numerator_and_sum[:, :, q0:] = numerator_and_sum[:, :, q0:] * (old_max - new_max).exp() + fresh
            running_max[:, :, q0:] = new_max
        tile_start = tile_end
    return numerator_and_sum[..., :D] / numerator_and_sum[..., D:]
