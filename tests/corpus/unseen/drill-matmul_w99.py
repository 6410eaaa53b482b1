import functools
import operator

import torch


def by_operator(weights, values): return functools.reduce(operator.matmul, (weights, values))


def by_matmul(weights, values): return torch.matmul(weights, values)


def by_einsum(weights, values): return torch.einsum("ijkl,ijlm->ijkm", weights, values)


def by_bmm(weights, values): return torch.bmm(*(t.flatten(end_dim=1) for t in (weights, values))).unflatten(0, weights.shape[:2])


def by_broadcast(weights, values): return (weights[..., None] * values[:, :, None]).sum(3)
