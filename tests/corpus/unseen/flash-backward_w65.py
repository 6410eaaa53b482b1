"""Backward of tiled attention. Inside, time comes first: (T, N, D) with N = batch * heads."""
import torch


def _time_first(t, dtype):
    return t.flatten(0, 1).transpose(0, 1).to(dtype)


def _back(t, like):
    return t.transpose(0, 1).reshape(like.shape).to(like.dtype)


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    dtype = torch.promote_types(query.dtype, torch.float32)
    scale = query.size(-1) ** -0.5
    q = _time_first(query, dtype) * scale
    k = _time_first(key, dtype)
    v = _time_first(value, dtype)
    dout = _time_first(grad_output, dtype)
    delta = (dout * _time_first(output, dtype)).sum(-1)           # (T, N)
    norm = lse.flatten(0, 1).transpose(0, 1).to(dtype)            # (T, N)

    frames = q.size(0)
    now = torch.arange(frames, device=q.device)
    gq, gk, gv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for s0 in range(0, frames, block_size):
        ks, vs = k[s0 : s0 + block_size], v[s0 : s0 + block_size]
        logits = torch.einsum("tnd,snd->tns", q, ks)
        if causal:
            later = now[s0 : s0 + block_size] > now[:, None]      # (T, S)
            logits = logits.masked_fill(later[:, None, :], float("-inf"))
        p = torch.exp(logits - norm[..., None])
        dp = torch.einsum("tnv,snv->tns", dout, vs)
        ds = p * (dp - delta[..., None])
        gv[s0 : s0 + block_size] = torch.einsum("tns,tnv->snv", p, dout)
        gq += torch.einsum("tns,snd->tnd", ds, ks)
        gk[s0 : s0 + block_size] = torch.einsum("tns,tnd->snd", ds, q)

    gq, gk = gq * scale, gk * scale
    return _back(gq, query), _back(gk, key), _back(gv, value)
