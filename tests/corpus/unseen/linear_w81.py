import torch
import torch.nn as nn


class Phi(nn.ELU):
    def forward(self, x):
        return super().forward(x) + 1.0


phi = Phi()


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    context = k.transpose(-2, -1) @ value
    total = k.sum(dim=-2, keepdim=True)
    return (q @ context) / (q * total).sum(dim=-1, keepdim=True)


def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    B, H, T, D = q.shape
    S = q.new_zeros(B, H, D, value.size(-1))
    z = q.new_zeros(B, H, D)
    ys = []
    for t in range(T):
        S += torch.einsum("bhd,bhe->bhde", k[:, :, t], value[:, :, t])
        z += k[:, :, t]
        top = torch.einsum("bhd,bhde->bhe", q[:, :, t], S)
        bottom = torch.einsum("bhd,bhd->bh", q[:, :, t], z)
        ys.append(top / bottom[..., None])
    return torch.stack(ys, dim=2)
