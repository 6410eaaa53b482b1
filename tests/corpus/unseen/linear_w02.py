# attn-kata: linear
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    # step 0: half precision sums are kept in float32
    old_dtype = query.dtype
    if old_dtype == torch.float16 or old_dtype == torch.bfloat16:
        query = query.float()
        key = key.float()
        value = value.float()
    # step 1: feature map on query and key
    phi_q = F.elu(query) + 1
    phi_k = F.elu(key) + 1
    # step 2: the small matrix
    kv = torch.matmul(phi_k.transpose(2, 3), value)
    # step 3: the normaliser
    z = phi_k.sum(dim=2)
    bottom = torch.matmul(phi_q, z.unsqueeze(3))
    # step 4: divide
    top = torch.matmul(phi_q, kv)
    result = top / bottom
    return result.to(old_dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    old_dtype = query.dtype
    if old_dtype == torch.float16 or old_dtype == torch.bfloat16:
        query = query.float()
        key = key.float()
        value = value.float()
    phi_q = F.elu(query) + 1
    phi_k = F.elu(key) + 1
    length = query.shape[2]
    s = 0
    z = 0
    outputs = []
    for i in range(length):
        q_i = phi_q[:, :, i : i + 1]  # (batch, heads, 1, head_dim)
        k_i = phi_k[:, :, i : i + 1]  # (batch, heads, 1, head_dim)
        v_i = value[:, :, i : i + 1]  # (batch, heads, 1, value_dim)
        s = s + k_i.transpose(2, 3) * v_i
        z = z + k_i
        top = torch.matmul(q_i, s)
        bottom = (k_i * z).sum(dim=3, keepdim=True)
        outputs.append(top / bottom)
    return torch.cat(outputs, dim=2).to(old_dtype)
