import torch
from torch import nn


class Elu1(nn.Module):
    """exp(x) for x < 0 and x + 1 above, without an exp of anything positive"""

    def forward(self, x):
        return torch.exp(x.clamp(max=0)) + x.clamp(min=0)


feature = Elu1()


def linear_attention(query, key, value):
    q, k = feature(query), feature(key)
    summary = k.transpose(2, 3).matmul(value)
    mass = k.sum(2).unsqueeze(-1)
    return q.matmul(summary).div(q.matmul(mass))


def causal_linear_attention(query, key, value):
    b, h, n, d = query.shape
    q = feature(query).flatten(0, 1)
    k = feature(key).flatten(0, 1)
    v = value.flatten(0, 1)
    s = v.new_zeros(b * h, d, v.shape[-1])
    z = v.new_zeros(b * h, d, 1)
    outs = []
    for i in range(n):
        s = torch.baddbmm(s, k[:, i, :, None], v[:, i, None, :])
        z = z + k[:, i, :, None]
        qi = q[:, i, None, :]
        outs.append(torch.bmm(qi, s) / torch.bmm(qi, z))
    return torch.cat(outs, 1).unflatten(0, (b, h))
