# wrong: linear linear-feature-map-other line 6
import torch


def phi(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x) + 1e-6


def linear_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    q, k = phi(query), phi(key)
    return q @ (k.transpose(-1, -2) @ value) / (q @ k.sum(-2).unsqueeze(-1))


def causal_linear_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    q, k = phi(query), phi(key)
    out = []
    state, total = 0, 0
    for t in range(q.size(2)):
        state = state + k[:, :, t, :, None] @ value[:, :, t, None, :]
        total = total + k[:, :, t]
        out.append((q[:, :, t, None] @ state).squeeze(2) / (q[:, :, t] * total).sum(-1, True))
    return torch.stack(out, 2)
