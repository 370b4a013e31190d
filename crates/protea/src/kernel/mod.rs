//! Loops over numbers that mean nothing yet: rows, blocks, products, soft minima, and the threads and instruction sets
//! they run on.

mod blocks;
mod finite;
mod gemm;
pub(crate) mod parallel;
mod rows;
pub(crate) mod simd;
mod softmin;

pub(crate) use blocks::{
    BLOCK, column_means, first_beyond, first_out_of_range, largest_value, product, sum_blocks,
};
pub(crate) use finite::check_finite;
pub(crate) use gemm::{Op, eigh, gemm, gemm_into_last, pseudo_inverse, solve};
pub(crate) use rows::{
    add_column_sums, add_transposed_product, argmin, k_smallest, nonzeros, place, row_argmin, row_min,
    row_sum, smallest, square_sum,
};
pub(crate) use simd::Kernel;
pub(crate) use softmin::{softmin, softmin_inline};
