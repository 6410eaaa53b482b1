import torch
import torch.nn.functional as F


def feature_map(x):
    """φ(x) = elu(x) + 1"""
    return F.elu(x) + 1


def linear_attention(query, key, value):
    q = feature_map(query.float() if query.element_size() == 2 else query)
    k = feature_map(key.float() if key.element_size() == 2 else key)
    v = value.to(k.dtype)
    kv = torch.matmul(k.transpose(2, 3), v)
    z = k.sum(dim=2, keepdim=True)
    num = torch.matmul(q, kv)
    den = (q * z).sum(dim=-1, keepdim=True)
    return (num / den).to(query.dtype)


def causal_linear_attention(query, key, value):
    """逐个样本、逐个头、逐个位置地递推"""
    q = feature_map(query.float() if query.element_size() == 2 else query)
    k = feature_map(key.float() if key.element_size() == 2 else key)
    v = value.to(k.dtype)
    batch, heads, length, dim = q.shape
    samples = []
    for b in range(batch):
        S = torch.zeros(dim, v.shape[-1], dtype=k.dtype, device=k.device)
        z = torch.zeros(dim, dtype=k.dtype, device=k.device)
        per_head = []
        for h in range(heads):
            rows = []
            for t in range(length):
                S = S + torch.outer(k[b, h, t], v[b, h, t])
                z = z + k[b, h, t]
                rows.append(q[b, h, t] @ S / (q[b, h, t] @ z))
            per_head.append(torch.stack(rows))
        samples.append(torch.stack(per_head))
    return torch.stack(samples).to(query.dtype)
