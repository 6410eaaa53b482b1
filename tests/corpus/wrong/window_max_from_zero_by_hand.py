# wrong: window max-from-zero line 10
import math
import torch


def window_attention(query, key, value, window):
    length, d = query.shape[-2:]
    out = []
    for i in range(length):
        m, l, acc = torch.zeros_like(query[..., 0, 0]), 0.0, 0.0
        for j in range(max(0, i - window + 1), i + 1):
            s = (query[..., i, :] * key[..., j, :]).sum(-1) / math.sqrt(d)
            m_new = torch.maximum(m, s)
            r, p = (m - m_new).exp(), (s - m_new).exp()
            l = l * r + p
            acc = acc * r.unsqueeze(-1) + p.unsqueeze(-1) * value[..., j, :]
            m = m_new
        out.append(acc / l.unsqueeze(-1))
    return torch.stack(out, -2)
