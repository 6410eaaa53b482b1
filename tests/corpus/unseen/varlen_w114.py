import torch


def cumulative_lengths(lengths):
    zero = lengths.new_zeros(1)
    return torch.cat([zero, lengths.cumsum(dim=0)]).to(torch.int32)


def document_mask(lengths, total):
    cu_seqlens = cumulative_lengths(lengths)
    pos = torch.arange(total, device=lengths.device)
    start, stop = cu_seqlens[:-1, None], cu_seqlens[1:, None]
    member = (pos >= start) & (pos < stop)  # (batch, total)
    return (member[:, :, None] & member[:, None, :]).any(dim=0)


def _attn(q, k, v, softmax_scale, causal):
    s = torch.matmul(q, k.transpose(-2, -1)) * softmax_scale
    if causal:
        rows, cols = s.shape[-2:]
        m = torch.triu(torch.ones(rows, cols, device=s.device, dtype=torch.bool), diagonal=1)
        s = s.masked_fill(m, float("-inf"))
    return torch.matmul(torch.softmax(s, dim=-1), v)


def varlen_attention(query, key, value, lengths, causal=False):
    cu_seqlens = cumulative_lengths(lengths).tolist()
    softmax_scale = query.shape[-1] ** -0.5
    out = torch.zeros(query.shape, dtype=query.dtype, device=query.device)
    for i in range(len(cu_seqlens) - 1):
        s, e = cu_seqlens[i], cu_seqlens[i + 1]
        q, k, v = query[s:e], key[s:e], value[s:e]
        if query.dtype in (torch.float16, torch.bfloat16):
            q, k, v = q.float(), k.float(), v.float()
        out[s:e] = _attn(q, k, v, softmax_scale, causal).to(out.dtype)
    return out
