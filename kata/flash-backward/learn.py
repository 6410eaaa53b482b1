"""The steps of the lesson on flash-backward, each after its `# %%`; the last makes the picture."""

# %% what the forward pass keeps
import torch

torch.set_printoptions(precision=3, sci_mode=False)
scores = torch.tensor([1.0, 3.0, 12.0]).log()
value = torch.tensor([10.0, 20.0, 40.0])
lse, output = scores.logsumexp(0), scores.softmax(0) @ value
print(lse, output)

# %% a tile's weights, and its own softmax
print((scores[:2] - lse).exp(), scores[:2].softmax(0))

# %% the row's sum, from the output and from all weights
grad_output = torch.tensor(1.0)
grad_weights = grad_output * value
row_sum = grad_output * output
print(row_sum, scores.softmax(0) @ grad_weights)

# %% each tile by itself
tiles = (slice(0, 2), slice(2, 3))
weights = [(scores[t] - lse).exp() for t in tiles]
parts = [w * (grad_weights[t] - row_sum) for w, t in zip(weights, tiles)]
print(torch.cat(parts))

# %% autograd, all keys at once
leaf = scores.clone().requires_grad_()
(leaf.softmax(0) @ value).backward()
print(leaf.grad)

# %% picture
nil = torch.zeros(1)
one = torch.cat([(scores[:2] - lse).exp(), nil])
two = torch.cat([nil, nil, (scores[2:] - lse).exp()])
picture = torch.stack([one, two, scores.softmax(0)])
rows = ("tile 1", "tile 2", "all")
columns = [f"key {i}" for i in range(3)]
