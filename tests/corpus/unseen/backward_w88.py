import torch

# flash-attn 论文附录 B.2 的公式, 不分块


def attention_backward(query, key, value, grad_output, causal=False):
    bsz, nh, Lq, dh = query.shape
    Lk = key.shape[2]
    Q = query.reshape(bsz * nh, Lq, dh)
    K = key.reshape(bsz * nh, Lk, dh)
    V = value.reshape(bsz * nh, Lk, -1)
    dO = grad_output.reshape(bsz * nh, Lq, -1)

    tau = 1.0 / dh ** 0.5
    S = torch.bmm(Q, K.transpose(1, 2)) * tau
    if causal:
        keep = torch.tril(torch.ones(Lq, Lk, device=S.device), diagonal=Lk - Lq).bool()
        S = torch.where(keep, S, torch.full_like(S, -float("inf")))
    S = S - S.max(dim=-1, keepdim=True).values
    E = S.exp()
    P = E / E.sum(-1, keepdim=True)

    dV = torch.bmm(P.transpose(1, 2), dO)
    dP = torch.bmm(dO, V.transpose(1, 2))
    D = (P * dP).sum(-1, keepdim=True)
    dS = P * (dP - D)
    dQ = torch.bmm(dS, K) * tau
    dK = torch.bmm(dS.transpose(1, 2), Q)
    return dQ.view_as(query), dK.view_as(key), dV.view_as(value)
