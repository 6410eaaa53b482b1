import torch
from torch.nn.functional import elu


def linear_attention(query, key, value):
    acc = torch.float32 if query.dtype in [torch.float16, torch.bfloat16] else query.dtype
    n_batch, n_head = query.shape[0], query.shape[1]
    result = []
    for i in range(n_batch):
        per_head = []
        for j in range(n_head):
            fq = elu(query[i, j].to(acc)) + 1
            fk = elu(key[i, j].to(acc)) + 1
            state = fk.t().mm(value[i, j].to(acc))
            norm = fq.mv(fk.sum(0))
            per_head.append(fq.mm(state) / norm.unsqueeze(1))
        result.append(torch.stack(per_head))
    return torch.stack(result).to(query.dtype)


def causal_linear_attention(query, key, value):
    acc = torch.float32 if query.dtype in [torch.float16, torch.bfloat16] else query.dtype
    n_batch, n_head, length, dim = query.shape
    dim_v = value.shape[3]
    result = []
    for i in range(n_batch):
        per_head = []
        norm = torch.zeros(dim, dtype=acc, device=query.device)
        for j in range(n_head):
            fq = elu(query[i, j].to(acc)) + 1
            fk = elu(key[i, j].to(acc)) + 1
            v = value[i, j].to(acc)
            state = torch.zeros(dim, dim_v, dtype=acc, device=query.device)
            rows = []
            for t in range(length):
                state = state + torch.outer(fk[t], v[t])
                norm = norm + fk[t]
                rows.append(fq[t] @ state / torch.dot(fq[t], norm))
            per_head.append(torch.stack(rows))
        result.append(torch.stack(per_head))
    return torch.stack(result).to(query.dtype)
