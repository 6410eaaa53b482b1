# wrong: drill-matmul python-loop line 20
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    # batch is the only axis bmm knows, so go head by head
    heads = []
    for h in range(weights.shape[1]):
        heads.append(torch.bmm(weights[:, h], values[:, h]))
    return torch.stack(heads, dim=1)


def by_broadcast(weights, values):
    return (weights[..., None] * values[:, :, None]).sum(3)
