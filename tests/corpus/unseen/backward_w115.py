import torch


def prepare(query, key, causal):
    scale = query.shape[-1] ** -0.5
    query = query * scale
    scores = torch.einsum('bhqd,bhkd->bhqk', query, key)
    if causal:
        q_len, k_len = scores.shape[-2:]
        i = torch.arange(q_len, device=scores.device)[:, None] + (k_len - q_len)
        j = torch.arange(k_len, device=scores.device)[None, :]
        scores = scores.masked_fill(j > i, float('-inf'))
    return query, scores.softmax(dim=-1), scale


def attention_backward(query, key, value, grad_output, causal=False):
    query, attn, scale = prepare(query, key, causal)

    # out = attn @ value
    d_value = torch.einsum('bhqk,bhqe->bhke', attn, grad_output)
    d_attn = torch.einsum('bhqe,bhke->bhqk', grad_output, value)

    # softmax
    dot = (attn * d_attn).sum(dim=-1, keepdim=True)
    d_scores = attn * (d_attn - dot)

    # scores = query @ key.T * scale
    d_query = torch.einsum('bhqk,bhkd->bhqd', d_scores, key) * scale
    d_key = torch.einsum('bhqk,bhqd->bhkd', d_scores, query) * scale

    return d_query, d_key, d_value
