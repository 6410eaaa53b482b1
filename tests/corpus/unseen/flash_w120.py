import torch


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    ft = torch.promote_types(query.dtype, torch.float)
    Q, K, V = (t.reshape(b * h, n, d).to(ft) for t in (query, key, value))
    O = torch.zeros_like(Q)
    M = Q.new_zeros(b * h, n, 1)
    Z = Q.new_zeros(b * h, n, 1)
    rows = torch.arange(n, device=Q.device)
    for K_j, V_j, cols in zip(K.split(block_size, 1), V.split(block_size, 1), rows.split(block_size)):
        S = torch.baddbmm(Q.new_zeros(1), Q, K_j.transpose(1, 2), beta=0, alpha=d ** -0.5)
        if causal:
            S.masked_fill_(rows[:, None] < cols, float("-inf"))
        M_next = S.amax(2, keepdim=True).maximum(M)
        decay = M.sub(M_next).exp_()
        P = S.sub_(M_next).exp_()
        Z.mul_(decay).add_(P.sum(2, keepdim=True))
        O = torch.baddbmm(O.mul_(decay), P, V_j)
        M = M_next
    return O.div_(Z).view(b, h, n, d).to(query.dtype)
