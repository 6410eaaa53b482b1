# wrong: tree-mask tree-self-hidden line 14
from torch import zeros, bool as boolean, cat, softmax, inf


def tree_mask(back):
    count = back.numel()
    above = zeros(count, count, dtype=boolean, device=back.device)
    for node, step in enumerate(back.tolist()):
        climb = node - step
        while climb >= 0:
            above[node, climb] = True
            climb -= int(back[climb])
    # row: who looks, column: who is seen
    return above


def tree_attention(query, key, value, back):
    drafted = query.shape[2]
    tree = tree_mask(back)
    everything = cat([tree.new_ones(drafted, key.shape[2] - drafted), tree], 1)
    logits = query.matmul(key.mT) * query.shape[3] ** -0.5
    logits = logits.masked_fill(everything.logical_not(), -inf)
    return softmax(logits, -1).matmul(value)
