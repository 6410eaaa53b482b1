# right: drill-matmul
import torch


def with_operator(a, b):
    result = a @ b
    return result.contiguous()


def with_matmul(a, b):
    B, H, Q, K = a.shape
    return torch.matmul(a.view(B * H, Q, K) if a.is_contiguous() else a.reshape(B * H, Q, K),
                        b.reshape(B * H, K, -1)).reshape(B, H, Q, -1)


def with_einsum(a, b):
    return torch.einsum(a, [0, 1, 2, 3], b, [0, 1, 3, 4], [0, 1, 2, 4])


def with_bmm(a, b):
    B, H, Q, K = a.shape
    D = b.shape[-1]
    folded = a.reshape(B * H, Q, K).bmm(b.reshape(B * H, K, D))
    return folded.unflatten(0, (B, -1))


def with_broadcasting(a, b):
    B, H, Q, K = a.shape
    D = b.shape[-1]
    a5 = a.reshape(B, H, Q, K, 1).expand(B, H, Q, K, D)
    b5 = b.reshape(B, H, 1, K, D).expand(B, H, Q, K, D)
    return torch.sum(a5 * b5, 3)
