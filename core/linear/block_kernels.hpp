#pragma once

#include <cstdint>

namespace counterpoint::linear {

/// Blocks of the factor that follow each other and have the same shape; see StaticLdlt for how a block lies in memory.
struct Batch {
  int blocks;
  int width;
  int rows;  ///< below the triangle
};

/// The loops of factorisation and solution over the blocks of a batch. All pointers are those of its first block,
/// except for `backward`, which gets those behind its last one.
/// Solutions are for one right-hand side ([0]) or for three that lie interleaved ([1]): what one of them waits for,
/// another can use.
struct BlockKernels {
  using Loop = void (*)(const Batch& batch, const double* block, const std::int32_t* unknowns, double* b);

  /// Eliminates the blocks, alone ([0]) or with `forward` for one right-hand side on the way ([1]). Returns nullptr, or
  /// the pivot of the first column that cannot be divided by.
  const double* (*eliminate[2])(const Batch& batch, double* block, const std::int32_t* targets, double* values,
                                const std::int32_t* unknowns, double* b);
  /// L z = b for the unknowns of the blocks, and their share in the rows below. Blocks without rows below wait for
  /// nothing else: they are solved at once, and `backward` has nothing to do with them.
  Loop forward[2];
  /// D L^T x = z for the unknowns of the blocks, when all those of the rows below are known.
  Loop backward[2];
};

constexpr int widest_block = 4;

constexpr int triangle(int width) { return width * (width + 1) / 2; }

const BlockKernels& block_kernels(int width, int rows);

}  // namespace counterpoint::linear
