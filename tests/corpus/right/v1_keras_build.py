# right: v1
# Port of a Keras custom layer: weights appear in build(), called by the first forward.
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, output_dim, **kwargs):
        super().__init__()
        self.output_dim = output_dim
        self.built = False
        self.kernel = nn.UninitializedParameter()

    def build(self, input_shape, like):
        self.kernel.materialize((3, input_shape[2], self.output_dim), device=like.device, dtype=like.dtype)
        with torch.no_grad():
            for i in range(3):
                nn.init.xavier_uniform_(self.kernel[i])
        self.built = True

    def call(self, x):
        WQ = torch.matmul(x, self.kernel[0])
        WK = torch.matmul(x, self.kernel[1])
        WV = torch.matmul(x, self.kernel[2])

        QK = torch.bmm(WQ, WK.permute(0, 2, 1))
        QK = QK / (self.output_dim ** 0.5)
        QK = torch.softmax(QK, -1)
        V = torch.bmm(QK, WV)
        return V

    def forward(self, inputs):
        if not self.built:
            self.build(tuple(inputs.shape), inputs)
        return self.call(inputs)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[1], self.output_dim)
