import math
import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    """Banded causal attention (Mistral)."""
    B, H, T, D = query.shape
    scores = query @ key.transpose(-2, -1) / math.sqrt(D)
    i = torch.arange(T, device=query.device).view(-1, 1)
    j = torch.arange(T, device=query.device).view(1, -1)
    mask = (j <= i) & (j >= i - window)
    scores = scores.masked_fill(~mask, float("-inf"))
    attn = F.softmax(scores, dim=-1)
    return attn @ value
