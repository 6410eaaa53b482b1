# wrong: drill-matmul forbidden-call line 26
import torch


def _mix(equation, *tensors):
    return torch.einsum(equation, *tensors)


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return _mix("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    return torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).unflatten(0, weights.shape[:2])


def by_broadcast(weights, values):
    terms = torch.einsum("bhqk,bhkd->bhqkd", weights, values) * 1
    return terms.sum(3)
