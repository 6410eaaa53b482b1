# right: drill-matmul
# 五种写法，结果都一样
import torch


def by_operator(attn, v):
    return attn @ v  # 运算符


def by_matmul(attn, v):
    return torch.matmul(attn, v)


def by_einsum(attn, v):
    # q 行 k 列，k 被求和
    return torch.einsum('bnqk,bnkd->bnqd', [attn, v])


def by_bmm(attn, v):
    # 先把 batch 和 head 合成一维，乘完再拆开
    b, n, q, k = attn.size()
    d = v.size(-1)
    return torch.bmm(attn.reshape(-1, q, k), v.reshape(-1, k, d)).reshape(b, n, q, d)


def by_broadcast(attn, v):
    # (b,n,q,1,k) * (b,n,1,d,k) -> (b,n,q,d,k)，再对最后一维求和
    left = attn[:, :, :, None, :]
    right = v.transpose(-1, -2)[:, :, None, :, :]
    return (left * right).sum(dim=-1)
