# attn-kata: sdpa
import torch
from torch import einsum


def stable_softmax(logits):
    peak = logits.amax(dim=-1, keepdim=True).detach()
    peak = torch.where(torch.isfinite(peak), peak, torch.zeros_like(peak))
    unnormalized = (logits - peak).exp()
    return unnormalized / unnormalized.sum(dim=-1, keepdim=True).detach()


def attention(query, key, value, mask=None, causal=False):
    q_len, k_len = query.shape[2], key.shape[2]
    sim = einsum("b h i d, b h j d -> b h i j", query, key) * query.shape[3] ** -0.5
    if mask is not None:
        sim = torch.where(mask.bool(), sim, -torch.inf)
    if causal:
        tri = torch.ones(q_len, k_len, dtype=torch.bool, device=sim.device).tril(k_len - q_len)
        sim = torch.where(tri, sim, -torch.inf)
    return einsum("b h i j, b h j d -> b h i d", stable_softmax(sim), value)
