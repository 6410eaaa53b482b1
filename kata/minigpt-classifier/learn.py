"""The steps of the lesson on minigpt-classifier, each after its `# %%`; the last makes the picture."""

# %% a plain mean
import torch

vectors = torch.tensor([[2.0, 0.0], [4.0, 2.0], [9.0, 9.0], [9.0, 9.0]])
mask = torch.tensor([1, 1, 0, 0])
print(vectors.mean(0).tolist())

# %% the mean over real tokens
total = (vectors * mask[:, None]).sum(0)
print(total.tolist(), (total / mask.sum()).tolist())

# %% places
both = torch.tensor([[1, 1, 1, 0, 0], [0, 0, 1, 1, 1]])
places = (both.cumsum(1) - 1).clamp(min=0)
print(places.tolist())

# %% which keys each query sees
seen = torch.ones(5, 5).tril() * both[:, None, :]
for query in seen[1].int().tolist():
    print(query)

# %% a row that sees nothing
row = torch.full((5,), float("-inf"))
print(row.softmax(0) * 0)
print(row.clamp(min=torch.finfo(row.dtype).min).softmax(0))

# %% picture
picture = seen[1].int()
rows = ("padding", "padding", "token 0", "token 1", "token 2")
columns = rows
