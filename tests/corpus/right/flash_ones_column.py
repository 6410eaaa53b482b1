# right: flash
import torch

NEG = -1e30


def flash_attention(Q, K, V, block, causal=False):
    # a column of ones on V makes the denominator come out of the same product
    Q = Q / Q.shape[-1] ** .5
    n = Q.shape[-2]
    V1 = torch.cat([V, torch.ones_like(V[..., :1])], dim=-1)
    acc = torch.zeros_like(V1)
    m = torch.full_like(Q[..., :1], -65000.0 if Q.dtype == torch.float16 else NEG)
    rows = torch.arange(n, device=Q.device).unsqueeze(1)
    for at in range(0, n, block):
        S = Q @ K[..., at:at + block, :].transpose(-1, -2)
        if causal:
            cols = torch.arange(at, min(at + block, n), device=Q.device)
            S = S.masked_fill(cols > rows, float("-inf"))
        m_next = torch.max(m, S.max(-1, keepdim=True)[0])
        acc = acc * torch.exp(m - m_next) + torch.exp(S - m_next) @ V1[..., at:at + block, :]
        m = m_next
    return acc[..., :-1] / acc[..., -1:]
