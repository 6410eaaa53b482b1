import torch
from torch.nn.functional import elu


def linear_attention(query, key, value):
    fq = elu(query).add(1)
    fk = elu(key).add(1)
    B, H, M, E = value.shape
    state = torch.matmul(fk.mT, value)
    z = fk.sum(2, keepdim=True)
    return torch.matmul(fq, state) / torch.matmul(fq, z.mT)


def causal_linear_attention(query, key, value):
    fq = elu(query).add(1)
    fk = elu(key).add(1)
    B, H, L, D = fq.shape
    E = value.shape[3]

    # one accumulator of D x E floats and one of D floats for each (batch, head)
    state = torch.zeros(B * H, D, E, dtype=value.dtype, device=value.device)
    z = torch.zeros(B * H, D, 1, dtype=value.dtype, device=value.device)
    fq = fq.reshape(B * H, L, D)
    fk = fk.reshape(B * H, L, D)
    v = value.reshape(B * H, L, E)

    out = []
    for i in range(L):
        k_i = fk[:, i, :, None]
        state += k_i * v[:, i, None, :]
        z += k_i
        q_i = fq[:, i, None, :]
        out.append(torch.bmm(q_i, state) / torch.bmm(q_i, z))
    return torch.cat(out, dim=1).view(B, H, L, E)
