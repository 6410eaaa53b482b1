"""The steps of the lesson on tree-mask, each after its `# %%`; the last part makes the picture."""

# %% who comes from whom
import torch

back = torch.tensor([1, 1, 2, 2, 2])
parents = torch.arange(5) - back
print(parents)

# %% a row is the parent's row and the token itself
mask = torch.eye(5, dtype=torch.bool)
for token, parent in enumerate(parents.tolist()):
    if parent >= 0:
        mask[token] |= mask[parent]
print(mask.int())

# %% how deep each lies: the ancestors in its row
print(mask.sum(1) - 1)

# %% a chain is the ordinary causal mask
chain = torch.eye(3, dtype=torch.bool)
for token in (1, 2):
    chain[token] |= chain[token - 1]
print(chain.int())

# %% the prefix in front, seen by all
allowed = torch.nn.functional.pad(mask, (2, 0), value=True)
print(allowed.sum(1))

# %% picture
picture = allowed.double()
rows = [f"token {i}" for i in range(5)]
columns = ["prefix", "prefix", *rows]
