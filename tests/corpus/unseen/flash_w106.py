import torch


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    scale = d ** -0.5
    outs = []
    # 外层循环 query 块，内层循环 key 块
    for qs in range(0, n, block_size):
        q = query[:, :, qs:qs + block_size] * scale
        nq = q.shape[2]
        q_idx = torch.arange(qs, qs + nq, device=q.device)

        row_max = q.new_full((b, h, nq, 1), float("-inf"))
        row_sum = q.new_zeros((b, h, nq, 1))
        o = torch.zeros_like(q)

        last = qs + nq if causal else n
        for ks in range(0, last, block_size):
            k = key[:, :, ks:ks + block_size]
            v = value[:, :, ks:ks + block_size]
            s = torch.matmul(q, k.transpose(2, 3))
            if causal:
                k_idx = torch.arange(ks, ks + k.shape[2], device=q.device)
                s = s.masked_fill(k_idx[None] > q_idx[:, None], float("-inf"))
            # 更新最大值
            new_max = torch.maximum(row_max, s.max(dim=-1, keepdim=True))
            p = (s - new_max).exp()
            fix = (row_max - new_max).exp()
            row_sum = row_sum * fix + p.sum(-1, keepdim=True)
            o = o * fix + torch.matmul(p, v)
            row_max = new_max
        outs.append(o / row_sum)
    return torch.cat(outs, dim=2)
