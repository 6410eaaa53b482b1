import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    N, d = query.shape[-2:]
    c = d**-0.5
    dQ, dK, dV = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    D = torch.einsum("bhnv,bhnv->bhn", grad_output, output)
    for j in range(0, N, block_size):
        J = slice(j, min(j + block_size, N))
        for i in range(j if causal else 0, N, block_size):
            I = slice(i, min(i + block_size, N))
            S = torch.einsum("bhid,bhjd->bhij", query[:, :, I], key[:, :, J]) * c
            if causal and i == j:
                S = S.masked_fill(torch.ones_like(S, dtype=torch.bool).triu(1), float("-inf"))
            P = (S - lse[:, :, I, None]).exp()
            dO = grad_output[:, :, I]
            dV[:, :, J] += torch.einsum("bhij,bhiv->bhjv", P, dO)
            dP = torch.einsum("bhiv,bhjv->bhij", dO, value[:, :, J])
            dS = P * (dP - D[:, :, I, None]) * c
            dQ[:, :, I] += torch.einsum("bhij,bhjd->bhid", dS, key[:, :, J])
            dK[:, :, J] = torch.einsum("bhij,bhid->bhjd", dS, query[:, :, I])
    return dQ, dK, dV
