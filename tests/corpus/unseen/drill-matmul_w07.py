import torch

# b/n: batch, h: heads, q: queries, k: keys, d: features


def by_einsum(weights, values):
    return torch.einsum("bhqk,nhkd->bhqd", weights, values)


def by_operator(weights, values):
    return weights.contiguous() @ values.contiguous()


def by_matmul(weights, values):
    return torch.matmul(input=weights, other=values)


def by_bmm(weights, values):
    B, H = values.shape[0], values.shape[1]
    return torch.bmm(weights.flatten(end_dim=1), values.flatten(end_dim=1)).reshape(B, H, weights.shape[2], values.shape[3])


def by_broadcast(weights, values):
    w = weights.permute(3, 0, 1, 2).unsqueeze(-1)  # k b h q 1
    v = values.permute(2, 0, 1, 3).unsqueeze(-2)   # k b h 1 d
    return (w * v).sum(0)
