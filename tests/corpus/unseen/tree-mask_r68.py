import torch


class Node:
    def __init__(self, number, parent=None):
        self.number = number
        self.parent = parent

    def branch(self):
        node = self
        while node is not None:
            yield node.number
            node = node.parent


def _nodes(back):
    nodes = []
    for i, step in enumerate(back.tolist()):
        nodes.append(Node(i, nodes[i - step] if step <= i else None))
    return nodes


def tree_mask(back):
    mask = torch.zeros(back.numel(), back.numel(), dtype=torch.bool)
    for node in _nodes(back):
        mask[node.number, list(node.branch())] = True
    return mask.to(back.device)


def tree_attention(query, key, value, back):
    # each token attends to just the places of its branch: nothing is masked at all
    n = query.shape[2]
    prefix = key.shape[2] - n
    rows = []
    for node in _nodes(back):
        places = list(range(prefix)) + [prefix + j for j in sorted(node.branch())]
        k, v = key[:, :, places], value[:, :, places]
        q = query[:, :, node.number, None]
        w = torch.softmax(q @ k.mT / query.shape[-1] ** 0.5, dim=-1)
        rows.append(w @ v)
    return torch.cat(rows, dim=2)
