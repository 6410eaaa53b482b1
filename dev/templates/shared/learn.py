"""The steps of the lesson, each after its `# %%`; the last part makes the picture."""

# %% TO WRITE: the example by hand, small enough for paper
import torch

x = torch.tensor([[3.0, 4.0, 0.0, 0.0]])
print(x / 2)

# %% TO WRITE: the same in tensors, with its shapes
print(x.expand(3, 4).shape)

# %% picture
picture = x / 2
rows = ("x",)
columns = [f"entry {i}" for i in range(4)]
