import torch


def padding_mask(lengths, max_length):
    return torch.arange(max_length, device=lengths.device).expand(len(lengths), -1) < lengths.unsqueeze(1)


def key_mask(mask):
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask, heads):
    b, n = mask.shape
    return mask.view(b, 1, 1, n).expand(b, heads, n, n)


def causal_mask(length):
    i = torch.arange(length)
    return i[:, None] >= i[None, :]


def combined_mask(mask):
    causal = causal_mask(mask.shape[-1]).to(mask.device)
    return key_mask(mask) & causal


def masked_weights(scores, mask):
    # far below everything in this batch, whatever the dtype can hold
    peak = scores.detach().abs().max()
    fill = -(1e4 * peak.double()).clamp(max=torch.finfo(scores.dtype).max).to(scores.dtype)
    return torch.softmax(torch.where(mask != 0, scores, fill), dim=-1)


def additive_mask(mask, scores):
    return torch.where(mask, 0.0, float("-inf")).to(scores.dtype)
