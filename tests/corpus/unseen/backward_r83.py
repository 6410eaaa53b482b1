import torch


def attention_backward(query, key, value, grad_output, causal=False):
    """In the letters of FlashAttention's appendix B: D_i = dO_i · O_i in place of rowsum(P ∘ dP)."""
    N, M = query.size(-2), key.size(-2)
    tau = query.size(-1) ** -0.5
    S = torch.einsum("bhnd,bhmd->bhnm", query * tau, key)
    if causal:
        n = torch.arange(M - N, M, device=S.device)
        S = S.masked_fill(n[:, None] < torch.arange(M, device=S.device), float("-inf"))
    S = S - S.amax(dim=-1, keepdim=True)                # L is then small, and exp(S - L) exact
    L = torch.logsumexp(S, dim=-1, keepdim=True)
    P = torch.exp(S - L)
    O = P @ value
    dV = P.mT @ grad_output
    D = torch.linalg.vecdot(grad_output, O).unsqueeze(-1)
    dS = P * (grad_output @ value.mT - D)
    dQ = dS @ key * tau
    dK = dS.mT @ query * tau
    return dQ, dK, dV
