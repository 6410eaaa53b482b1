import math
import torch


def tree_mask(back):
    drafted = len(back)
    mask = torch.eye(drafted, dtype=torch.bool, device=back.device)
    steps = back.tolist()
    for token in range(drafted):
        parent = token - steps[token]
        if parent == -1:
            continue
        parent_row = mask[parent]
        own_row = mask[token]
        mask[token] = own_row | parent_row
    return mask


def tree_attention(query, key, value, back):
    drafted = query.shape[2]
    key_length = key.shape[2]
    head_dim = query.shape[3]
    prefix_length = key_length - drafted

    prefix_part = torch.ones(drafted, prefix_length, dtype=torch.bool, device=query.device)
    draft_part = tree_mask(back).to(query.device)
    visible = torch.cat([prefix_part, draft_part], dim=1)

    scores = torch.matmul(query, key.transpose(2, 3))
    scaled_scores = scores / math.sqrt(head_dim)
    masked_scores = scaled_scores.masked_fill(~visible, -math.inf)
    weights = torch.softmax(masked_scores, dim=-1)
    context = torch.matmul(weights, value)
    return context
