# 线性注意力：phi(x) = elu(x) + 1，因果版本用循环状态
import torch
import torch.nn.functional as F

EPS = 1e-6


def phi(x):
    return F.elu(x) + 1


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    kv = k.transpose(-2, -1) @ value                 # [b, h, d, e]
    norm = q @ k.sum(dim=-2).unsqueeze(-1)           # [b, h, n, 1]
    return q @ kv / (norm + EPS)


def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    b, h, n, d = q.shape
    s = q.new_zeros(b, h, d, value.size(-1))         # 状态 S
    z = q.new_zeros(b, h, d)                         # 归一化项 z
    outputs = []
    for t in range(n):
        qt, kt, vt = q[:, :, t], k[:, :, t], value[:, :, t]
        # 读出
        num = torch.einsum("bhd,bhde->bhe", qt, s)
        den = (qt * z).sum(-1, keepdim=True)
        outputs.append(num / (den + EPS))
        # 更新状态（不用原地操作，保证可以反向传播）
        s = s + torch.einsum("bhd,bhe->bhde", kt, vt)
        z = z + kt
    return torch.stack(outputs, dim=2)
