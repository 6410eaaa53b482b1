# wrong: sdpa causal-excludes-self line 17
# fair: causal-excludes-self 17, 15
import torch
import torch.nn.functional as F


def attention(query, key, value, mask=None, causal=False):
    n_q, n_k = query.shape[2], key.shape[2]
    scores = torch.einsum("bhqc,bhkc->bhqk", query, key)
    scores = scores * (query.shape[3] ** -0.5)
    if mask is not None:
        scores = torch.where(mask != 0, scores, -torch.inf)
    if causal:
        # a position looks at what lies before it
        q_pos = torch.arange(n_q, device=query.device) + (n_k - n_q)
        k_pos = torch.arange(n_k, device=query.device)
        before = k_pos.unsqueeze(0) < q_pos.unsqueeze(1)
        scores = torch.where(before, scores, -torch.inf)
    return torch.einsum("bhqk,bhkc->bhqc", F.softmax(scores, dim=-1), value)
