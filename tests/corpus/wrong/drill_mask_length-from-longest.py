# wrong: drill-mask length-from-longest line 8
# fair: length-from-longest 7, 8, 9
import torch


def make_padding_mask(lengths, max_length=None):
    batch = lengths.shape[0]
    longest = int(lengths.max())
    grid = torch.arange(longest, device=lengths.device).expand(batch, longest)
    return grid < lengths.unsqueeze(1)


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask, num_heads):
    batch, length = mask.shape
    return mask.view(batch, 1, 1, length).expand(batch, num_heads, length, length)


def look_ahead_mask(size):
    return torch.triu(torch.ones(size, size), diagonal=1) == 0


def combined_mask(mask):
    ahead = look_ahead_mask(mask.size(-1)).to(mask.device)
    return torch.logical_and(ahead, mask[:, None, None, :])


def masked_weights(scores, mask):
    scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1)


def additive_mask(mask, scores):
    return torch.zeros_like(mask, dtype=scores.dtype).masked_fill_(~mask, float("-inf"))
