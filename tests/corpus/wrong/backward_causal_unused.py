# wrong: backward causal-missing line 7
# fair: causal-missing 6, 7, 8, 9
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    scores = torch.matmul(query, key.transpose(-1, -2)) * query.shape[-1] ** -0.5
    weights = torch.softmax(scores, dim=-1)
    dW = torch.matmul(grad_output, value.transpose(-1, -2))
    row = torch.einsum("bhqk,bhqk->bhq", weights, dW).unsqueeze(-1)
    dS = weights * (dW - row) * query.shape[-1] ** -0.5
    return dS @ key, dS.transpose(-1, -2) @ query, weights.transpose(-1, -2) @ grad_output
