"""A tape for four operations, built by hand, and walked backwards."""
import torch


class Node:
    def __init__(self, data, parents=(), pull=None):
        self.data, self.parents, self.pull, self.sens = data, parents, pull, None

    def __matmul__(self, other):
        return Node(
            self.data @ other.data, (self, other),
            lambda g: (g @ other.data.mT, self.data.mT @ g),
        )

    def __mul__(self, number):
        return Node(self.data * number, (self,), lambda g: (g * number,))

    @property
    def mT(self):
        return Node(self.data.mT, (self,), lambda g: (g.mT,))

    def hide(self, hidden):
        return Node(self.data.masked_fill(hidden, float("-inf")), (self,), lambda g: (g.masked_fill(hidden, 0),))

    def softmax(self):
        p = torch.softmax(self.data, -1)
        return Node(p, (self,), lambda g: (p * g - p * (p * g).sum(-1, keepdim=True),))


def order(node, seen=None):
    seen = {} if seen is None else seen
    if id(node) not in seen:
        for parent in node.parents:
            order(parent, seen)
        seen[id(node)] = node
    return list(seen.values())


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    leaves = q, k, v = [Node(t) for t in (query, key, value)]
    s = (q @ k.mT) * query.shape[-1] ** -0.5
    if causal:
        rows, cols = s.data.shape[-2:]
        s = s.hide(torch.ones(rows, cols, device=query.device).triu(1 + cols - rows).bool())
    out = s.softmax() @ v
    out.sens = grad_output
    for node in reversed(order(out)):
        for parent, g in zip(node.parents, node.pull(node.sens) if node.pull else ()):
            parent.sens = g if parent.sens is None else parent.sens + g
    return tuple(leaf.sens for leaf in leaves)
