// The arithmetic of StaticLdlt, compiled for each width and each small number of rows: everything between the load of a
// block and its store then stays in registers. Measured on the four-bar chain, against loops over columns whose lengths
// are known at run time only: 1.4 to 1.6 times as fast.

#include "linear/block_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "linear/solvers.hpp"
#include "linear/unroll.hpp"

namespace counterpoint::linear {
namespace {

constexpr int max_known_rows = 6;
constexpr int any = max_known_rows + 1;  // a number of rows known at run time only

/// The pivots of a block and its unit triangle below them.
template <int width>
struct Pivots {
  double l[width][width];
  double inverse[width];

  /// Eliminates the triangle of a block in place. Returns the pivot that failed, or nullptr.
  COUNTERPOINT_INLINE const double* eliminate(double* block) {
    COUNTERPOINT_UNROLL
    for (int k = 0; k + 1 < width; k += 2) {
      if (const double* failed = eliminate_two(block, k)) return failed;
    }
    if constexpr (width % 2 == 1) {
      double* const place = block + triangle(width) - 1;
      double u[width];
      *place = reduce_pivot(block, width - 1, width - 1, u);
      if (!is_pivot(*place)) return place;
      *place = inverse[width - 1] = 1.0 / *place;
    }
    return nullptr;
  }

  /// Columns k and k + 1, whose divisions do not wait for each other: with p and c in the place of their pivots and e
  /// below p, the second pivot is (p c - e^2) / p.
  COUNTERPOINT_INLINE const double* eliminate_two(double* block, int k) {
    double *const first = block + triangle(k), *const second = block + triangle(k + 1);
    double u[width];
    const double pivot = reduce_pivot(block, k, k, u);
    const double corner = reduce_pivot(block, k + 1, k, u);
    const double determinant = pivot * corner - u[k] * u[k];
    first[k] = pivot;
    if (!is_pivot(pivot)) return first + k;
    first[k] = inverse[k] = 1.0 / pivot;
    second[k] = l[k + 1][k] = u[k] * inverse[k];
    second[k + 1] = determinant * inverse[k];
    if (!is_pivot(second[k + 1])) return second + k + 1;
    second[k + 1] = inverse[k + 1] = pivot / determinant;
    return nullptr;
  }

  /// What columns before `known` leave of the diagonal of row k; u: of the entries before it.
  COUNTERPOINT_INLINE double reduce_pivot(double* block, int k, int known, double* u) {
    double* const row = block + triangle(k);
    reduce(row, u, k);
    double pivot = row[k];
    COUNTERPOINT_UNROLL
    for (int i = 0; i < known; ++i) {
      row[i] = l[k][i] = u[i] * inverse[i];
      pivot -= l[k][i] * u[i];
    }
    return pivot;
  }

  /// The first `count` entries of a row less what the columns before them take away.
  void reduce(const double* row, double* u, int count) const {
    COUNTERPOINT_UNROLL
    for (int i = 0; i < count; ++i) {
      u[i] = row[i];
      COUNTERPOINT_UNROLL
      for (int p = 0; p < i; ++p) u[i] -= u[p] * l[i][p];
    }
  }

  void divide(const double* u, double* factor) const {
    COUNTERPOINT_UNROLL
    for (int k = 0; k < width; ++k) factor[k] = u[k] * inverse[k];
  }
};

template <int width>
void subtract_product(double& from, const double* a, const double* b) {
  double sum = from;
  COUNTERPOINT_UNROLL
  for (int k = 0; k < width; ++k) sum -= a[k] * b[k];
  from = sum;
}

template <int width, int rows>
COUNTERPOINT_INLINE void eliminate_known_rows(const Pivots<width>& pivots, double* below, const std::int32_t* target,
                                              double* values) {
  double u[rows][width];
  COUNTERPOINT_UNROLL
  for (int a = 0; a < rows; ++a) pivots.reduce(below + a * width, u[a], width);
  COUNTERPOINT_UNROLL
  for (int a = 0; a < rows; ++a) {
    double* const factor = below + a * width;
    double f[width];
    pivots.divide(u[a], f);
    COUNTERPOINT_UNROLL
    for (int b = a; b < rows; ++b) subtract_product<width>(values[*target++], f, u[b]);
    COUNTERPOINT_UNROLL
    for (int k = 0; k < width; ++k) factor[k] = f[k];
  }
}

template <int width>
void eliminate_rows(const Pivots<width>& pivots, int rows, double* below, const std::int32_t* target, double* values) {
  double* const end = below + rows * width;
  for (double* row = below; row != end; row += width) {
    double u[width];
    pivots.reduce(row, u, width);
    COUNTERPOINT_UNROLL
    for (int k = 0; k < width; ++k) row[k] = u[k];
  }
  for (double* a = below; a != end; a += width) {
    double f[width];
    pivots.divide(a, f);
    for (const double* b = a; b != end; b += width) subtract_product<width>(values[*target++], f, b);
    COUNTERPOINT_UNROLL
    for (int k = 0; k < width; ++k) a[k] = f[k];
  }
}

/// The right-hand sides of one unknown.
template <int sides>
struct Sides {
  double value[sides];

  COUNTERPOINT_INLINE static Sides at(const double* first) {
    Sides read;
    COUNTERPOINT_UNROLL
    for (int s = 0; s < sides; ++s) read.value[s] = first[s];
    return read;
  }
  COUNTERPOINT_INLINE void write(double* first) const {
    COUNTERPOINT_UNROLL
    for (int s = 0; s < sides; ++s) first[s] = value[s];
  }
  COUNTERPOINT_INLINE void subtract(double factor, const Sides& x) {
    COUNTERPOINT_UNROLL
    for (int s = 0; s < sides; ++s) value[s] -= factor * x.value[s];
  }
  COUNTERPOINT_INLINE void multiply(double factor) {
    COUNTERPOINT_UNROLL
    for (int s = 0; s < sides; ++s) value[s] *= factor;
  }
};

#if defined(__GNUC__)
/// Three, two of them in one register.
template <>
struct Sides<3> {
  using Pair [[gnu::vector_size(16)]] = double;
  Pair two;
  double third;

  COUNTERPOINT_INLINE static Sides at(const double* first) {
    Sides read;
    std::memcpy(&read.two, first, sizeof read.two);
    read.third = first[2];
    return read;
  }
  COUNTERPOINT_INLINE void write(double* first) const {
    std::memcpy(first, &two, sizeof two);
    first[2] = third;
  }
  COUNTERPOINT_INLINE void subtract(double factor, const Sides& x) {
    two -= factor * x.two;
    third -= factor * x.third;
  }
  COUNTERPOINT_INLINE void multiply(double factor) {
    two *= factor;
    third *= factor;
  }
};
#endif

template <int width, int known_rows>
struct Kernels {
  template <bool carries>
  static const double* eliminate(const Batch& batch, double* block, const std::int32_t* targets, double* values,
                                 const std::int32_t* unknowns, double* b) {
    const int rows = count(batch);
    for (int n = batch.blocks; n > 0; --n) {
      Pivots<width> pivots;
      if (const double* failed = pivots.eliminate(block)) return failed;
      double* const below = block + triangle(width);
      if constexpr (known_rows == any) {
        eliminate_rows<width>(pivots, rows, below, targets, values);
      } else if constexpr (known_rows > 0) {
        eliminate_known_rows<width, known_rows>(pivots, below, targets, values);
      }
      if constexpr (carries) forward_block<1>(rows, block, unknowns, b);
      block = below + rows * width;
      targets += triangle(rows);
      unknowns += width + rows;
    }
    return nullptr;
  }

  template <int sides>
  static void forward(const Batch& batch, const double* block, const std::int32_t* unknowns, double* b) {
    const int rows = count(batch);
    for (int n = batch.blocks; n > 0; --n) {
      forward_block<sides>(rows, block, unknowns, b);
      block += triangle(width) + rows * width;
      unknowns += width + rows;
    }
  }

  template <int sides>
  static void backward(const Batch& batch, const double* block, const std::int32_t* unknowns, double* b) {
    if constexpr (known_rows > 0) {
      const int rows = count(batch);
      for (int n = batch.blocks; n > 0; --n) {
        unknowns -= width + rows;
        block -= triangle(width) + rows * width;
        backward_block<sides>(rows, block, unknowns, b);
      }
    }
  }

 private:
  template <int sides>
  COUNTERPOINT_INLINE static void forward_block(int rows, const double* block, const std::int32_t* unknowns,
                                                double* b) {
    if constexpr (known_rows != any) rows = known_rows;
    Sides<sides> x[width];
    COUNTERPOINT_UNROLL
    for (int k = 0; k < width; ++k) {
      x[k] = Sides<sides>::at(b + unknowns[k] * sides);
      COUNTERPOINT_UNROLL
      for (int i = 0; i < k; ++i) x[k].subtract(block[triangle(k) + i], x[i]);
    }
    if constexpr (known_rows == 0) {
      divide<sides>(block, x);
      substitute_triangle<sides>(block, x);
    }
    COUNTERPOINT_UNROLL
    for (int k = known_rows == 0 ? 0 : 1; k < width; ++k) x[k].write(b + unknowns[k] * sides);
    block += triangle(width);
    COUNTERPOINT_UNROLL
    for (int r = 0; r < rows; ++r) {
      double* const place = b + unknowns[width + r] * sides;
      auto sum = Sides<sides>::at(place);
      COUNTERPOINT_UNROLL
      for (int k = 0; k < width; ++k) sum.subtract(block[r * width + k], x[k]);
      sum.write(place);
    }
  }

  template <int sides>
  COUNTERPOINT_INLINE static void backward_block(int rows, const double* block, const std::int32_t* unknowns,
                                                 double* b) {
    Sides<sides> x[width];
    COUNTERPOINT_UNROLL
    for (int k = 0; k < width; ++k) x[k] = Sides<sides>::at(b + unknowns[k] * sides);
    divide<sides>(block, x);
    // The nearest row, which became known last, is taken last.
    COUNTERPOINT_UNROLL
    for (int r = rows - 1; r >= 0; --r) {
      const auto known = Sides<sides>::at(b + unknowns[width + r] * sides);
      COUNTERPOINT_UNROLL
      for (int k = 0; k < width; ++k) x[k].subtract(block[triangle(width) + r * width + k], known);
    }
    substitute_triangle<sides>(block, x);
    COUNTERPOINT_UNROLL
    for (int k = 0; k < width; ++k) x[k].write(b + unknowns[k] * sides);
  }

  /// D x = z within the block.
  template <int sides>
  COUNTERPOINT_INLINE static void divide(const double* block, Sides<sides> (&x)[width]) {
    COUNTERPOINT_UNROLL
    for (int k = 0; k < width; ++k) x[k].multiply(block[triangle(k) + k]);
  }

  /// L^T x = z within the block.
  template <int sides>
  COUNTERPOINT_INLINE static void substitute_triangle(const double* block, Sides<sides> (&x)[width]) {
    COUNTERPOINT_UNROLL
    for (int k = width - 1; k > 0; --k) {
      COUNTERPOINT_UNROLL
      for (int i = 0; i < k; ++i) x[i].subtract(block[triangle(k) + i], x[k]);
    }
  }

  static int count(const Batch& batch) { return known_rows == any ? batch.rows : known_rows; }
};

template <int width, int... rows>
constexpr std::array<BlockKernels, sizeof...(rows)> table(std::integer_sequence<int, rows...>) {
  return {
      BlockKernels{{Kernels<width, rows>::template eliminate<false>, Kernels<width, rows>::template eliminate<true>},
                   {Kernels<width, rows>::template forward<1>, Kernels<width, rows>::template forward<3>},
                   {Kernels<width, rows>::template backward<1>, Kernels<width, rows>::template backward<3>}}...};
}

using Rows = std::make_integer_sequence<int, any + 1>;
constexpr std::array<std::array<BlockKernels, any + 1>, widest_block> kernels{table<1>(Rows{}), table<2>(Rows{}),
                                                                              table<3>(Rows{}), table<4>(Rows{})};

}  // namespace

const BlockKernels& block_kernels(int width, int rows) { return kernels[width - 1][std::min(rows, any)]; }

}  // namespace counterpoint::linear
