import torch
from torch.nn.functional import logsigmoid


def gated_step(query, key, value, gate, state):
    a = torch.exp(logsigmoid(gate) / 16)[:, :, None, None]
    state = a * (state + torch.einsum('bhi,bhj->bhij', key, value))
    return torch.einsum('bhij,bhi->bhj', state, query), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    def walk(start, state):
        # one chunk, then the rest of the sequence
        while start < query.size(2):
            stop = min(start + chunk_size, query.size(2))
            q, k, v = (t[:, :, start:stop] for t in (query, key, value))
            cum = torch.cumsum(logsigmoid(gate[:, :, start:stop]) / 16, dim=-1)
            gap = cum[..., :, None] - cum[..., None, :]
            keep = torch.ones(gap.shape[-2:], dtype=torch.bool, device=gap.device).tril()
            # what lies ahead is hidden before exp, so that nothing there can overflow
            decay = torch.where(keep, gap.masked_fill(~keep, 0.0).exp(), 0.0)
            yield torch.exp(cum)[..., None] * (q @ state) + (decay * (q @ k.mT)) @ v
            last = cum[..., -1:]
            state = torch.exp(last)[..., None] * state + (torch.exp(last - cum)[..., None] * k).mT @ v
            start = stop
        yield state

    *outputs, final = walk(0, state)
    return torch.cat(outputs, dim=2), final
