import torch

NEG_INF = float("-inf")

padding_mask = lambda lengths, max_length: (
    lengths[:, None] > torch.arange(max_length, device=lengths.device)
)
key_mask = lambda mask: mask.view(mask.shape[0], 1, 1, mask.shape[1])
expanded_mask = lambda mask, heads: mask[:, None, None, :].expand(
    mask.shape[0], heads, mask.shape[1], mask.shape[1]
)
causal_mask = lambda length: torch.arange(length)[:, None] >= torch.arange(length)
combined_mask = lambda mask: (
    mask[:, None, None, :] & causal_mask(mask.shape[1]).to(mask.device)[None, None]
)
masked_weights = lambda scores, mask: torch.softmax(
    torch.where(mask.bool(), scores, NEG_INF), dim=-1
)
additive_mask = lambda mask, scores: torch.where(mask, 0.0, NEG_INF)
