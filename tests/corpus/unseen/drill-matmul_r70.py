# attn-kata: drill-matmul
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return weights.matmul(values)


def by_einsum(weights, values):
    # sublist form: 0=batch 1=head 2=query 3=key 4=feature
    return torch.einsum(weights, [0, 1, 2, 3], values, [0, 1, 3, 4], [0, 1, 2, 4])


def by_bmm(weights, values):
    lead = weights.shape[:2]
    left, right = weights.flatten(0, 1), values.flatten(0, 1)
    return left.bmm(right).unflatten(0, lead)


def by_broadcast(weights, values):
    # (b, h, q, 1, k) * (b, h, 1, d, k), summed over k
    return (weights.unsqueeze(-2) * values.transpose(-1, -2).unsqueeze(-3)).sum(-1)
