"""The steps of the lesson on sdpa, each after its `# %%`; the last part makes the picture."""

# %% two products and a softmax
import torch

torch.set_printoptions(precision=2, sci_mode=False)
query = torch.tensor([[2.0, 0.0]])
key = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
value = torch.tensor([[10.0], [20.0], [30.0]])
scores = query @ key.T / 2**0.5
print(scores)
weights = scores.softmax(dim=-1)
print(weights)
print(weights @ value)

# %% axes in front are a batch
many = query.expand(4, 3, 1, 2)
print((many @ key.T).shape)

# %% a mask that broadcasts
mask = torch.tensor([1, 1, 0])
print(scores.masked_fill(mask == 0, float("-inf")).softmax(dim=-1))

# %% where does causal begin?
ones = torch.ones(2, 5, dtype=torch.int64)
print(ones.tril())
print(ones.tril(diagonal=5 - 2))

# %% picture
picture = ones.tril(diagonal=5 - 2)
rows = ("position 3", "position 4")
columns = [f"key {i}" for i in range(5)]
