# wrong: flash causal-stops-early line 16
import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, D = query.shape
    bq, bk = 2 * block_size, block_size
    result = torch.empty_like(query)
    for qs in range(0, N, bq):
        q = query[:, :, qs:qs + bq].float() if query.dtype != torch.float64 else query[:, :, qs:qs + bq]
        rows = torch.arange(qs, qs + q.size(2), device=q.device).unsqueeze(-1)
        m = q.new_full((B, H, q.size(2)), float("-inf"))
        l = q.new_zeros((B, H, q.size(2)))
        acc = torch.zeros_like(q)
        for ks in range(0, N, bk):
            if causal and ks > qs:
                break  # everything from here on lies in the future
            k = key[:, :, ks:ks + bk].to(q.dtype)
            v = value[:, :, ks:ks + bk].to(q.dtype)
            s = (q @ k.mT) * D ** -0.5
            if causal:
                cols = torch.arange(ks, ks + k.size(2), device=q.device)
                s.masked_fill_(cols > rows, float("-inf"))
            mn = torch.maximum(m, s.amax(-1))
            p = (s - mn.unsqueeze(-1)).exp()
            c = (m - mn).exp()
            l = c * l + p.sum(-1)
            acc = acc * c.unsqueeze(-1) + p @ v
            m = mn
        result[:, :, qs:qs + bq] = acc / l.unsqueeze(-1)
    return result
