# attn-kata: backward
import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    # letters: q k positions, d width, v value width
    n, m = query.shape[2], key.shape[2]
    tau = query.shape[-1] ** -0.5
    S = torch.einsum("bhqd,bhkd->bhqk", query, key) * tau
    if causal:
        j = torch.arange(m, device=S.device)
        i = torch.arange(n, device=S.device) + (m - n)
        S = S.masked_fill(j[None] > i[:, None], -torch.inf)
    P = S.softmax(-1)
    dV = torch.einsum("bhqk,bhqv->bhkv", P, grad_output)
    dP = torch.einsum("bhqv,bhkv->bhqk", grad_output, value)
    # row sum as <O, dO>
    O = torch.einsum("bhqk,bhkv->bhqv", P, value)
    D = (O * grad_output).sum(-1).unsqueeze(-1)
    dS = P * (dP - D) * tau
    dQ = torch.einsum("bhqk,bhkd->bhqd", dS, key)
    dK = torch.einsum("bhqk,bhqd->bhkd", dS, query)
    return dQ, dK, dV
