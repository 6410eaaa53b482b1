import numpy as np
import torch


def padding_mask(lengths, max_length):
    idx = torch.arange(max_length, device=lengths.device)
    return idx.expand(lengths.numel(), -1).lt(lengths.reshape(-1, 1))


def key_mask(mask):
    return mask[..., None, None, :]


def expanded_mask(mask, heads):
    B, L = mask.shape
    s0, s1 = mask.stride()
    return mask.as_strided((B, heads, L, L), (s0, 0, 0, s1))


def causal_mask(length):
    return torch.from_numpy(np.tri(length, dtype=bool)).to(torch.get_default_device())


def combined_mask(mask):
    tri = causal_mask(mask.shape[-1]).to(mask.device)
    return torch.einsum("bj,ij->bij", mask.int(), tri.int()).bool()[:, None]


def masked_weights(scores, mask):
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    weights = shifted.exp() * (mask != 0).to(scores.dtype)
    return weights / weights.sum(dim=-1, keepdim=True)


def additive_mask(mask, scores):
    bias = scores.new_zeros(mask.shape)
    bias[~mask] = -np.inf
    return bias
