import torch
import torch.nn.functional as F


def feature_map(x):
    return F.elu(x + 1)


def linear_attention(query, key, value):
    dtype = value.dtype
    if dtype != torch.float64:
        query, key, value = query.float(), key.float(), value.float()
    q, k = feature_map(query), feature_map(key)
    kv = torch.einsum('bhnd,bhne->bhde', k, value)
    z = torch.einsum('bhld,bhd->bhl', q, k.mean(dim=2))
    out = torch.einsum('bhld,bhde->bhle', q, kv)
    return (out / z[..., None]).to(dtype)


def causal_linear_attention(query, key, value):
    dtype = value.dtype
    if dtype != torch.float64:
        query, key, value = query.float(), key.float(), value.float()
    q, k = feature_map(query), feature_map(key)
    b, h, n, d = q.shape
    s = q.new_zeros(b, h, d, value.shape[-1])
    z = q.new_zeros(b, h, d)
    outs = []
    for i in range(n):
        s = s + k[:, :, i, :, None] * value[:, :, i, None, :]
        z = z + k[:, :, i]
        num = torch.einsum('bhd,bhde->bhe', q[:, :, i], s)
        den = (q[:, :, i] * z).sum(-1, keepdim=True)
        outs.append(num / den)
    return torch.stack(outs, dim=2).to(dtype)
