from torch import nn

_flat = nn.Flatten(2, 3)


def split_heads_view(hidden_states, n_heads):
    bsz, q_len, _ = hidden_states.size()
    return hidden_states.view(bsz, q_len, n_heads, -1).transpose(1, 2)


def split_heads_permute(hidden_states, n_heads):
    new_shape = hidden_states.size()[:-1] + (n_heads, hidden_states.size(-1) // n_heads)
    hidden_states = hidden_states.view(new_shape)
    return hidden_states.permute(0, 2, 1, 3)


def split_heads_unflatten(hidden_states, n_heads):
    cut = nn.Unflatten(-1, (n_heads, hidden_states.size(-1) // n_heads))
    return cut(hidden_states).transpose(1, 2)


def merge_heads_view(context):
    context = context.permute(0, 2, 1, 3).contiguous()
    new_shape = context.size()[:-2] + (context.size(-2) * context.size(-1),)
    return context.view(new_shape)


def merge_heads_reshape(context):
    bsz, n_heads, q_len, head_dim = context.size()
    return context.transpose(1, 2).contiguous().reshape(bsz, q_len, n_heads * head_dim)


def merge_heads_flatten(context):
    return _flat(context.transpose(1, 2))
