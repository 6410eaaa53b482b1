# wrong: flash scale-missing line 17
import torch


class _Running:
    def __init__(self, q):
        self.m = torch.full_like(q[..., :1], float("-inf"))
        self.l = torch.zeros_like(self.m)
        self.o = torch.zeros_like(q)


def flash_attention(query, key, value, block_size, causal=False):
    state = _Running(query)
    n = query.shape[-2]
    positions = torch.arange(n, device=query.device)
    for part in positions.split(block_size):
        scores = query @ key.index_select(-2, part).mT
        if causal:
            scores = scores.masked_fill(part > positions.unsqueeze(-1), float("-inf"))
        new = torch.maximum(state.m, scores.amax(-1, keepdim=True))
        weights = torch.exp(scores - new)
        keep = torch.exp(state.m - new)
        state.l = keep * state.l + weights.sum(-1, keepdim=True)
        state.o = keep * state.o + weights @ value.index_select(-2, part)
        state.m = new
    return state.o / state.l
