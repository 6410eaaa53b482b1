import torch
from torch.nn.functional import logsigmoid


def decay_log(gates):
    return logsigmoid(gates.to(torch.float64)) * 0.0625


def recurrent_step(q, k, v, gates, h):
    alpha = decay_log(gates).exp().to(h.dtype)
    h = h * alpha.unsqueeze(-1).unsqueeze(-1)
    h = h + torch.matmul(k.unsqueeze(-1), v.unsqueeze(-2))
    out = torch.matmul(q.unsqueeze(-2), h).squeeze(-2)
    return out, h


def one_chunk(q, k, v, logs, h):
    b = logs.cumsum(-1)
    rows = torch.arange(q.shape[-2], device=q.device)
    causal = rows[:, None] >= rows[None, :]
    diff = (b[..., :, None] - b[..., None, :]).masked_fill(~causal, float("-inf"))
    attn = torch.matmul(q, k.transpose(-1, -2)) * diff.exp().to(q.dtype)
    intra = torch.matmul(attn, v)
    inter = torch.matmul(q * b.exp().to(q.dtype).unsqueeze(-1), h)
    last = b[..., -1:]
    k_end = k * (last - b).exp().to(k.dtype).unsqueeze(-1)
    h = h * last.exp().to(h.dtype).unsqueeze(-1)
    h = h + torch.matmul(k_end.transpose(-1, -2), v)
    return intra + inter, h


def chunk_gla(q, k, v, gates, h, chunk):
    parts = zip(
        q.split(chunk, dim=-2),
        k.split(chunk, dim=-2),
        v.split(chunk, dim=-2),
        decay_log(gates).split(chunk, dim=-1),
    )
    outs = []
    for q_c, k_c, v_c, log_c in parts:
        o_c, h = one_chunk(q_c, k_c, v_c, log_c, h)
        outs.append(o_c)
    return torch.cat(outs, dim=-2), h
