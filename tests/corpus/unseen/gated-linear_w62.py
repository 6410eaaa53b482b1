import torch
from torch.nn import functional


def gated_step(query, key, value, gate, state):
    decay = (functional.logsigmoid(gate) * 0.0625).exp()
    new_state = state * decay.unsqueeze(-1).unsqueeze(-1) + key.unsqueeze(-1) * value.unsqueeze(-2)
    row = (new_state * query.unsqueeze(-1)).sum(dim=-2)
    return row, new_state


def chunk_forward(q, k, v, log_decay, state):
    n = q.shape[2]
    c = log_decay.cumsum(dim=-1)
    total = c[..., -1:]

    # GLA's trick: the decay goes into q and k, and what is left is a plain masked product
    q_decayed = q * c.exp().unsqueeze(-1)
    k_grown = k * (-c).exp().unsqueeze(-1)
    k_left = k * (total - c).exp().unsqueeze(-1)

    att = torch.matmul(q_decayed, k_grown.transpose(-1, -2))
    causal = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
    att = att.masked_fill(~causal, 0.0)
    out = torch.matmul(att, v) + torch.matmul(q_decayed, state)
    state = state * total.exp().unsqueeze(-1) + torch.matmul(k_left.transpose(-1, -2), v)
    return out, state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    high = torch.promote_types(gate.dtype, torch.float32)
    log_decay = functional.logsigmoid(gate.to(high)) * 0.0625
    S = state.to(high)
    outputs = []
    for begin in range(0, query.shape[2], chunk_size):
        piece = slice(begin, begin + chunk_size)
        o, S = chunk_forward(
            query[:, :, piece].to(high),
            key[:, :, piece].to(high),
            value[:, :, piece].to(high),
            log_decay[:, :, piece],
            S,
        )
        outputs.append(o)
    return torch.cat(outputs, dim=2).to(value.dtype), S.to(state.dtype)
