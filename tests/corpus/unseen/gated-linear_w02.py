# attn-kata: gated-linear
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    """一步：先衰减，再写入，最后读出"""
    a = torch.exp(F.logsigmoid(gate) / 16)
    new_state = a[:, :, None, None] * state + key[:, :, :, None] * value[:, :, None, :]
    row = (new_state * query[:, :, :, None]).sum(dim=2)
    return row, new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    b, h, n, d = query.shape
    e = value.shape[-1]
    dt = query.dtype
    ft = torch.float64 if dt == torch.float64 else torch.float32
    c = min(chunk_size, n)
    pad = -n % c                        # 补到 c 的整数倍

    q, k, v = (F.pad(t.to(ft), (0, 0, 0, pad)) for t in (query, key, value))
    g = F.logsigmoid(F.pad(gate.to(ft), (0, pad))) / 16
    m = (n + pad) // c
    q, k = q.view(b, h, m, c, d), k.view(b, h, m, c, d)
    v, g = v.view(b, h, m, c, e), g.view(b, h, m, c).cumsum(-1)

    # 块内
    diff = g.unsqueeze(-1) - g.unsqueeze(-2)
    keep = torch.tril(torch.ones(c, c, dtype=torch.bool, device=q.device))
    attn = (q @ k.mT) * torch.exp(diff.masked_fill(~keep, float("-inf")))
    local = attn @ v

    # 块间
    write = (k * torch.exp(g[..., -1:] - g).unsqueeze(-1)).mT @ v      # (b, h, m, d, e)
    s = state.to(ft)
    found = []
    for i in range(m):
        found.append(s)
        s = torch.exp(g[:, :, i, -1])[..., None, None] * s + write[:, :, i]
    found = torch.stack(found, dim=2)
    out = local + torch.exp(g).unsqueeze(-1) * (q @ found)
    return out.reshape(b, h, m * c, e)[:, :, :n].to(dt), s.to(dt)
