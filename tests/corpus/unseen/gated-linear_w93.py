import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    keep = torch.exp(F.logsigmoid(gate) / 16)
    new_state = keep[..., None, None] * state + key[..., :, None] * value[..., None, :]
    row = (query[..., None, :] @ new_state).squeeze(-2)
    return row, new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    B, H, T, D = query.shape
    pad = -T % chunk_size
    N = (T + pad) // chunk_size

    def cut(t):
        return F.pad(t, (0, 0, 0, pad)).view(B, H, N, chunk_size, -1)

    q, k, v = cut(query), cut(key), cut(value)
    log_a = F.logsigmoid(cut(gate[..., None]).squeeze(-1)) / 16
    c = log_a.cumsum(-1)  # (B, H, N, C)
    n = c[..., -1:]

    # inside the chunks, all at once
    causal = torch.ones(chunk_size, chunk_size, dtype=torch.bool, device=q.device).tril()
    gap = (c[..., :, None] - c[..., None, :]).masked_fill(~causal, float("-inf"))
    inside = (q @ k.transpose(-1, -2) * gap.exp()) @ v

    # from chunk to chunk
    written = (k * (n - c).exp()[..., None]).transpose(-1, -2) @ v
    outputs = []
    for i in range(N):
        outputs.append(c[:, :, i].exp()[..., None] * (q[:, :, i] @ state) + inside[:, :, i])
        state = n[:, :, i].exp()[..., None] * state + written[:, :, i]
    return torch.cat(outputs, dim=2)[:, :, :T], state
