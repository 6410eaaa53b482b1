# wrong: linear detached line 15
import torch


class _Phi:
    @staticmethod
    def __call__(x):
        return torch.nn.functional.elu(x) + 1


phi = _Phi()


def _normaliser(q, k_total, eps=1e-6):
    with torch.no_grad():
        denom = (q * k_total).sum(-1, keepdim=True)
    return denom + eps


def linear_attention(query, key, value):
    Q, K = phi(query), phi(key)
    KV = torch.matmul(K.mT, value)
    return torch.matmul(Q, KV) / _normaliser(Q, K.sum(-2, keepdim=True))


def causal_linear_attention(query, key, value):
    Q, K = phi(query), phi(key)
    S = torch.zeros(*K.shape[:2], K.shape[3], value.shape[3], dtype=K.dtype, device=K.device)
    z = torch.zeros_like(K[:, :, 0])
    rows = []
    for t in range(K.shape[2]):
        S = S + torch.einsum("bhd,bhe->bhde", K[:, :, t], value[:, :, t])
        z = z + K[:, :, t]
        num = torch.einsum("bhd,bhde->bhe", Q[:, :, t], S)
        rows.append(num / _normaliser(Q[:, :, t], z))
    return torch.stack(rows, 2)
