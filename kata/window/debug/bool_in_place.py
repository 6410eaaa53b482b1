import torch


def window_attention(Q, K, V, window):
    n = Q.shape[-2]
    allowed = torch.zeros(n, n, dtype=torch.bool, device=Q.device)
    for row in range(n):
        allowed[row, max(row + 1 - window, 0) : row + 1] = True
    A = Q.matmul(K.mT).div(Q.size(-1) ** 0.5)
    A.masked_fill_(~allowed, -1e9)
    A = A.softmax(-1)
    return A.matmul(V)
