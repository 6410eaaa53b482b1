"""The steps of the lesson on cross-cache, each after its `# %%`; the last part draws."""

# %% what the encoder left, and what the projections make of it
import torch

memory = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
key = memory.flip(1)
value = memory * 10
print(key.tolist())
print(value.tolist())

# %% of the three positions two count
padding = torch.arange(3) >= 2
print(padding)

# %% a step: the query is new, keys and values are not


def step(query):
    scores = (query @ key.T / 2**0.5).masked_fill(padding, float("-inf"))
    return scores.softmax(-1)


first = step(torch.tensor([1.0, 0.0]))
print(first.numpy().round(2), (first @ value).numpy().round(2))

# %% the next step reads the same
second = step(torch.tensor([0.0, 3.0]))
print(second.numpy().round(2), (second @ value).numpy().round(2))

# %% both at once: the same rows
both = step(torch.tensor([[1.0, 0.0], [0.0, 3.0]]))
print(torch.allclose(both, torch.stack([first, second])))

# %% with the padding forgotten in the second step
forgotten = (torch.tensor([0.0, 3.0]) @ key.T / 2**0.5).softmax(-1)
print(forgotten.numpy().round(2))

# %% picture
picture = torch.stack([first, second, forgotten])
rows = ["step 1", "step 2", "step 2, forgotten"]
columns = ["memory 0", "memory 1", "padding"]
