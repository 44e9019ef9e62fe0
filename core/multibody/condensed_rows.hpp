// The loops of the condensed system over rows of the Jacobian.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "linear/unroll.hpp"
#include "multibody/neighbours.hpp"

namespace counterpoint::multibody {

/// How the products of a row lie in the matrix.
enum class Products {
  anywhere,    ///< the place of each is listed
  in_rows,     ///< a row of each block beside each other: the place of the first is listed
  in_columns,  ///< as in rows, but a column of the block of two points
};

/// Rows of the Jacobian with the same number of free entries, one after another, and where things of the first of them
/// lie.
struct RowRun {
  int first = 0;  ///< row
  int rows = 0;
  int entries = 0;  ///< free ones, a row
  int points = 0;   ///< as many where the free entries of a row lie beside each other and belong to points, else 0
  int stride = 0;   ///< from the entries of a row to those of the next, where they belong to points
  bool repeated = false;  ///< rows are alike but for a shift: columns and slots of the first are looked at only
  int column_shift = 0;   ///< from a row to the next, then
  int slot_shift = 0;
  const double* penalty = nullptr;
  const int* places = nullptr;   ///< of the free entries in J; of points only the first is looked at
  const int* columns = nullptr;  ///< of the free entries; of points: the first of each
  const int* slots =
      nullptr;  ///< of the lower triangle of each row's products in the matrix; of points: how they lie first

  /// Whether the next row belongs to this run; the second one sets the stride.
  bool takes(const RowRun& next) {
    if (next.entries != entries || next.points != points) return false;
    if (points == 0) return true;
    if (rows == 1) stride = *next.places - *places;
    return *next.places == *places + rows * stride;
  }
};

/// The loops over the rows of a run whose entries lie anywhere. All pointers are those of the run's first row.
struct AnyRows {
  /// values += p J^T J and x += J^T p bottom.
  static void condense(const RowRun& run, const double* J, const double* bottom, double* values, double* x) {
    const int entries = run.entries, *columns = run.columns, *places = run.places, *slots = run.slots;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries) {
      const double penalty = run.penalty[row], known = bottom[row];
      for (int a = 0; a < entries; ++a) {
        const double scaled = penalty * J[places[a]];
        x[columns[a]] += scaled * known;
        for (int b = 0; b <= a; ++b) values[*slots++] += scaled * J[places[b]];
      }
    }
  }

  /// x += J^T p bottom.
  static void add_transposed(const RowRun& run, const double* J, const double* bottom, double* x) {
    const int entries = run.entries, *columns = run.columns, *places = run.places;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries) {
      const double penalty = run.penalty[row], known = bottom[row];
      for (int k = 0; k < entries; ++k) x[columns[k]] += penalty * J[places[k]] * known;
    }
  }

  /// mu = p (J x - bottom).
  static void multiply(const RowRun& run, const double* J, const double* x, const double* bottom, double* mu) {
    const int entries = run.entries, *columns = run.columns, *places = run.places;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries) {
      double sum = -bottom[row];
      for (int k = 0; k < entries; ++k) sum += J[places[k]] * x[columns[k]];
      mu[row] = run.penalty[row] * sum;
    }
  }

  /// bottom += J [x0 x1 0], then x += J^T p bottom, three sides.
  static void add_three(const RowRun& run, const double* J, const double* x0, const double* x1, double* bottom,
                        double* x) {
    const int entries = run.entries, *columns = run.columns, *places = run.places;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries, bottom += 3) {
      double first = bottom[0], second = bottom[1];
      for (int k = 0; k < entries; ++k) {
        first += J[places[k]] * x0[columns[k]];
        second += J[places[k]] * x1[columns[k]];
      }
      bottom[1] = second;  // for `subtract_second`
      const double penalty = run.penalty[row];
      first *= penalty;
      second *= penalty;
      const double third = penalty * bottom[2];
      for (int k = 0; k < entries; ++k) {
        const double j = J[places[k]];
        double* const place = x + 3 * static_cast<std::ptrdiff_t>(columns[k]);
        place[0] += j * first;
        place[1] += j * second;
        place[2] += j * third;
      }
    }
  }

  /// multipliers -= p (J x - bottom) for side 1 of three.
  static void subtract_second(const RowRun& run, const double* J, const double* x, const double* bottom,
                              double* multipliers) {
    const int entries = run.entries, *columns = run.columns, *places = run.places;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries, bottom += 3) {
      double sum = -bottom[1];
      for (int k = 0; k < entries; ++k) sum += J[places[k]] * x[3 * static_cast<std::ptrdiff_t>(columns[k]) + 1];
      multipliers[row] -= run.penalty[row] * sum;
    }
  }
};

/// The same for rows whose entries belong to one or two points, as those of rods do: the coordinates of a point lie
/// beside each other everywhere, and are worked on together.
template <int points, int dimension, bool repeated>
struct PointRows {
  using Vector = Neighbours<dimension>;

  static void condense(const RowRun& run, const double* J, const double* bottom, double* values, double* x) {
    const int* slots = run.slots;
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      const double known = bottom[row];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) add(known * (penalty * j[k].all), x + columns[k]);
      const auto products = static_cast<Products>(*slots++);
      add_products(products, penalty, j, slots, values);
      if constexpr (repeated) {
        slots = run.slots;
        values += run.slot_shift;
      }
    });
  }

  static void add_transposed(const RowRun& run, const double* J, const double* bottom, double* x) {
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      const double known = bottom[row];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) add(known * (penalty * j[k].all), x + columns[k]);
    });
  }

  static void multiply(const RowRun& run, const double* J, const double* x, const double* bottom, double* mu) {
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      double sum = -bottom[row];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        COUNTERPOINT_UNROLL
        for (int i = 0; i < dimension; ++i) sum += j[k].each[i] * x[columns[k] + i];
      }
      mu[row] = penalty * sum;
    });
  }

  static void add_three(const RowRun& run, const double* J, const double* x0, const double* x1, double* bottom,
                        double* x) {
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      double* const sides = bottom + 3 * static_cast<std::ptrdiff_t>(row);
      double first = sides[0], second = sides[1];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        COUNTERPOINT_UNROLL
        for (int i = 0; i < dimension; ++i) {
          first += j[k].each[i] * x0[columns[k] + i];
          second += j[k].each[i] * x1[columns[k] + i];
        }
      }
      sides[1] = second;
      const Neighbours<2> two{{penalty * first, penalty * second}};
      const double third = penalty * sides[2];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        double* const place = x + 3 * static_cast<std::ptrdiff_t>(columns[k]);
        add_sides(j[k], two, third, place);
      }
    });
  }

  static void subtract_second(const RowRun& run, const double* J, const double* x, const double* bottom,
                              double* multipliers) {
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      double sum = -bottom[3 * static_cast<std::ptrdiff_t>(row) + 1];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        const double* const second = x + 3 * static_cast<std::ptrdiff_t>(columns[k]) + 1;
        COUNTERPOINT_UNROLL
        for (int i = 0; i < dimension; ++i) sum += j[k].each[i] * second[3 * i];
      }
      multipliers[row] -= penalty * sum;
    });
  }

 private:
  /// The entries of a row that belong to one point, read once: together, and one by one, as the compiler takes a pair
  /// apart through memory.
  struct Entries {
    Vector all;
    double each[dimension];
  };

  template <typename Action>
  COUNTERPOINT_INLINE static void for_rows(const RowRun& run, const double* J, Action action) {
    const double *entries = J + *run.places, *penalty = run.penalty;
    const int *columns = run.columns, rows = run.rows;
    const std::ptrdiff_t stride = run.stride;
    std::array<int, points> shifted;
    if constexpr (repeated) std::copy_n(columns, points, shifted.begin());
    for (int row = 0; row < rows; ++row, entries += stride) {
      Entries j[points];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        j[k].all = Vector::at(entries + k * dimension);
        COUNTERPOINT_UNROLL
        for (int i = 0; i < dimension; ++i) j[k].each[i] = entries[k * dimension + i];
      }
      if constexpr (repeated) {
        action(row, penalty[row], shifted.data(), j);
        COUNTERPOINT_UNROLL
        for (int k = 0; k < points; ++k) shifted[k] += run.column_shift;
      } else {
        action(row, penalty[row], columns, j);
        columns += points;
      }
    }
  }

  COUNTERPOINT_INLINE static void add_products(Products products, double penalty, const Entries* j, const int*& slots,
                                               double* values) {
    if (products == Products::anywhere) return add_anywhere(penalty, j, slots, values);
    COUNTERPOINT_UNROLL
    for (int k = 0; k < points; ++k) add_triangle(penalty, j[k], slots, values);
    if constexpr (points == 2) {
      COUNTERPOINT_UNROLL
      for (int i = 0; i < dimension; ++i, ++slots) {
        if (products == Products::in_rows) {
          add((penalty * j[1].each[i]) * j[0].all, values + *slots);
        } else {
          add(j[0].each[i] * (penalty * j[1].all), values + *slots);
        }
      }
    }
  }

  /// Products of one point's coordinates with each other: row i has i + 1 of them.
  COUNTERPOINT_INLINE static void add_triangle(double penalty, const Entries& j, const int*& slots, double* values) {
    values[*slots++] += (penalty * j.each[0]) * j.each[0];
    if constexpr (dimension == 3) add((penalty * j.each[1]) * Neighbours<2>{{j.each[0], j.each[1]}}, values + *slots++);
    add((penalty * j.each[dimension - 1]) * j.all, values + *slots++);
  }

  COUNTERPOINT_INLINE static void add_anywhere(double penalty, const Entries* j, const int*& slots, double* values) {
    COUNTERPOINT_UNROLL
    for (int a = 0; a < points * dimension; ++a) {
      const double scaled = penalty * j[a / dimension].each[a % dimension];
      COUNTERPOINT_UNROLL
      for (int b = 0; b <= a; ++b) values[*slots++] += scaled * j[b / dimension].each[b % dimension];
    }
  }

  /// Three sides of each coordinate of a point.
  COUNTERPOINT_INLINE static void add_sides(const Entries& j, const Neighbours<2>& two, double third, double* place) {
    COUNTERPOINT_UNROLL
    for (int i = 0; i < dimension; ++i, place += 3) {
      add(j.each[i] * two, place);
      place[2] += j.each[i] * third;
    }
  }

  template <int count>
  COUNTERPOINT_INLINE static void add(const Neighbours<count>& what, double* place) {
    (Neighbours<count>::at(place) + what).write(place);
  }
};

template <bool repeated, typename Action>
void for_rows_of(const RowRun& run, Action action) {
  switch (run.points == 0 ? 0 : run.entries) {
    case 2:
      return action(PointRows<1, 2, repeated>{});
    case 3:
      return action(PointRows<1, 3, repeated>{});
    case 4:
      return action(PointRows<2, 2, repeated>{});
    case 6:
      return action(PointRows<2, 3, repeated>{});
    default:
      return action(AnyRows{});
  }
}

}  // namespace counterpoint::multibody
