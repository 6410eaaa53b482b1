import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    # FlashAttention-2 trick: rowsum(P * dP) == rowsum(dO * O)
    tau = query.shape[-1] ** -0.5
    logits = torch.einsum('bhid,bhjd->bhij', query, key) * tau
    if causal:
        i, j = logits.shape[-2], logits.shape[-1]
        logits = logits.masked_fill(
            torch.ones(i, j, device=logits.device, dtype=torch.bool).triu(j - i + 1), float('-inf'))
    P = logits.softmax(dim=-1)
    O = torch.einsum('bhij,bhjv->bhiv', P, value)

    dV = torch.einsum('bhij,bhiv->bhjv', P, grad_output)
    dP = torch.einsum('bhiv,bhjv->bhij', grad_output, value)
    delta = (grad_output * O).sum(dim=-1, keepdim=True)
    dS = P * (dP - delta) * tau
    dQ = torch.einsum('bhij,bhjd->bhid', dS, key)
    dK = torch.einsum('bhij,bhid->bhjd', dS, query)
    return dQ, dK, dV
