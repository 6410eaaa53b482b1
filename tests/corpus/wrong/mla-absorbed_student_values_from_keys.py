# wrong: mla-absorbed values-from-keys line 70
import math

import torch
import torch.nn.functional as F


def rotary(x, positions):
    # x (..., rope_dim), positions broadcast against x's leading axes
    half = x.shape[-1] // 2
    x64 = x.double()
    i = torch.arange(half).double().to(x.device)
    theta = 10000 ** (-2 * i / x.shape[-1])
    angle = positions.double().unsqueeze(-1) * theta
    first = x64[..., :half] * torch.cos(angle) - x64[..., half:] * torch.sin(angle)
    second = x64[..., half:] * torch.cos(angle) + x64[..., :half] * torch.sin(angle)
    return torch.cat([first, second], dim=-1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    key_rope = rotary(key_rope, positions)
    return torch.cat([latent, key_rope], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    batch, num_heads, query_length, head_dim = query_content.shape
    key_length = cache.shape[1]
    rope_dim = query_rope.shape[3]
    latent_dim = kv_up.shape[1]

    # 1. take the two up-projections out of the weight
    key_up = torch.empty(num_heads, head_dim, latent_dim, dtype=kv_up.dtype, device=kv_up.device)
    value_up = torch.empty_like(key_up)
    for h in range(num_heads):
        start = h * 2 * head_dim
        key_up[h] = kv_up[start : start + head_dim]
        value_up[h] = kv_up[start + head_dim : start + 2 * head_dim]

    # 2. absorb: a linear layer with the key's rows, turned round
    absorbed = torch.stack(
        [F.linear(query_content[:, h], key_up[h].t()) for h in range(num_heads)], dim=1
    )

    # 3. positions of the queries
    positions = torch.zeros(batch, query_length, dtype=torch.long, device=cache.device)
    for b in range(batch):
        for i in range(query_length):
            positions[b, i] = lengths[b] - query_length + i
    query_rope = rotary(query_rope, positions[:, None, :])

    # 4. scores
    latent = cache[:, :, :latent_dim]
    key_rope = cache[:, :, latent_dim:]
    scores = torch.zeros(
        batch, num_heads, query_length, key_length, dtype=cache.dtype, device=cache.device
    )
    for h in range(num_heads):
        scores[:, h] += absorbed[:, h] @ latent.transpose(1, 2)
        scores[:, h] += query_rope[:, h] @ key_rope.transpose(1, 2)
    scores = scores / math.sqrt(head_dim + rope_dim)

    # 5. mask, softmax
    index = torch.arange(key_length, device=cache.device)
    mask = index[None, None, :] <= positions[:, :, None]
    scores = scores.masked_fill(mask[:, None] == False, float("-inf"))  # noqa: E712
    weights = F.softmax(scores, dim=-1)

    # 6. sum latents, then bring them up
    mixed = torch.matmul(weights, latent.unsqueeze(1))
    return torch.stack([F.linear(mixed[:, h], key_up[h]) for h in range(num_heads)], dim=1)
