"""Masks as index arithmetic."""
import torch


def padding_mask(lengths, max_length):
    batch = len(lengths)
    number = torch.arange(batch * max_length, device=lengths.device)
    return (number % max_length < lengths[number // max_length]).view(batch, max_length)


def key_mask(mask):
    return mask.as_strided((mask.shape[0], 1, 1, mask.shape[1]), (mask.stride(0), 0, 0, mask.stride(1)))


def expanded_mask(mask, heads):
    batch, length = mask.shape
    return mask.as_strided((batch, heads, length, length), (mask.stride(0), 0, 0, mask.stride(1)))


def causal_mask(length):
    n = torch.arange(length * length)
    return (n % length <= n.div(length, rounding_mode="floor")).reshape(length, length)


def combined_mask(mask):
    return key_mask(mask) & causal_mask(mask.shape[1]).to(mask.device)


def masked_weights(scores, mask):
    # hidden keys go through the exponential as themselves lowered to the end of what the dtype holds
    floor = torch.finfo(scores.dtype).min
    z = torch.where(mask != 0, scores, floor).to(torch.promote_types(scores.dtype, torch.float32))
    return torch.exp(z - torch.logsumexp(z, -1, keepdim=True)).to(scores.dtype)


def additive_mask(mask, scores):
    return torch.log(mask.to(scores.dtype))            # log 1 = 0, log 0 = -inf
