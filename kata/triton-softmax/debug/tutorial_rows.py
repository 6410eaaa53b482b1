import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    output_ptr, input_ptr, input_row_stride, input_col_stride, output_row_stride, n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    # The rows of the softmax are independent, so we parallelize across those
    row_idx = tl.program_id(0)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    input_ptrs = input_ptr + row_idx * input_row_stride + col_offsets * input_col_stride
    # Load the row into SRAM, using a mask since BLOCK_SIZE may be > than n_cols
    row = tl.load(input_ptrs, mask=mask, other=-float("inf")).to(tl.float32)
    # Subtract maximum for numerical stability
    numerator = tl.exp(row - tl.max(row, axis=0))
    denominator = tl.sum(numerator, axis=0)
    # Write back output to DRAM
    output_ptrs = output_ptr + row_idx * output_row_stride + col_offsets
    tl.store(output_ptrs, numerator / denominator, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    # The block size is the smallest power of two greater than the number of columns in `x`
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    grid = (n_rows,)
    softmax_kernel[grid](
        y, x, x.stride(0), x.stride(1), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE
    )
    return y
