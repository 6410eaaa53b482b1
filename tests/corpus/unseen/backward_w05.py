import torch


def attention_backward(query, key, value, grad_output, causal=False):
    n, m, d = query.size(2), key.size(2), query.size(3)
    scale = 1.0 / d ** 0.5

    S = query @ key.transpose(2, 3) * scale
    P = torch.softmax(S, -1)
    if causal:
        P = P.tril(m - n)

    dV = P.transpose(2, 3) @ grad_output
    dP = grad_output @ value.transpose(2, 3)
    D = (P * dP).sum(-1, keepdim=True)
    dS = P * (dP - D)

    dQ = dS @ key * scale
    dK = dS.transpose(2, 3) @ query * scale
    return dQ, dK, dV
