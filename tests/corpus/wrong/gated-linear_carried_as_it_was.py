# wrong: gated-linear carried-not-faded line 26
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    decay = (F.logsigmoid(gate) / 16).exp().unsqueeze(-1).unsqueeze(-1)
    state = decay * state + key.unsqueeze(-1) * value.unsqueeze(-2)
    out = torch.matmul(query.unsqueeze(-2), state).squeeze(-2)
    return out, state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    out = torch.empty_like(value[:, :, :0])
    for lo in range(0, query.size(2), chunk_size):
        hi = lo + chunk_size
        q, k, v = query[:, :, lo:hi], key[:, :, lo:hi], value[:, :, lo:hi]
        wide = torch.promote_types(gate.dtype, torch.float32)
        cum = (F.logsigmoid(gate[:, :, lo:hi].to(wide)) / 16).cumsum(-1)
        rel = cum.unsqueeze(-1) - cum.unsqueeze(-2)
        n = q.size(2)
        causal = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
        rel = rel.masked_fill(causal.logical_not(), float("-inf"))
        intra = torch.matmul(torch.matmul(q, k.mT) * rel.exp().to(q.dtype), v)
        # Each row reads what earlier chunks left behind.
        inter = torch.matmul(q, state)
        out = torch.cat([out, intra + inter], dim=2)
        end = cum[:, :, -1:]
        state = end.exp().to(q.dtype).unsqueeze(-1) * state
        state = state + torch.matmul((k * (end - cum).exp().to(q.dtype).unsqueeze(-1)).mT, v)
    return out, state
