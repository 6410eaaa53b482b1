import torch


def gated_step(query, key, value, gate, state):
    keep = torch.sigmoid(gate) ** (1 / 16)
    state = state * keep.unsqueeze(-1).unsqueeze(-1) + key.unsqueeze(-1) * value.unsqueeze(-2)
    return (state * query.unsqueeze(-1)).sum(dim=-2), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    B, H, T, D = query.shape
    log_a = torch.log(torch.sigmoid(gate)) / 16
    out = []
    pos = 0
    while pos < T:
        end = min(T, pos + chunk_size)
        q = query[:, :, pos:end]
        k = key[:, :, pos:end]
        v = value[:, :, pos:end]
        c = torch.cumsum(log_a[:, :, pos:end], dim=-1)
        n = end - pos
        causal = torch.tril(torch.ones(n, n, dtype=torch.bool, device=q.device))
        rel = (c[..., :, None] - c[..., None, :]).masked_fill(~causal, float("-inf"))
        scores = torch.matmul(q, k.transpose(-1, -2)) * torch.exp(rel)
        y = torch.matmul(scores, v) + torch.matmul(q * torch.exp(c)[..., None], state)
        out.append(y)
        g = c[..., -1]
        k_scaled = k * torch.exp(g[..., None] - c)[..., None]
        state = torch.exp(g)[..., None, None] * state + torch.matmul(k_scaled.transpose(-1, -2), v)
        pos = end
    return torch.cat(out, dim=2), state
