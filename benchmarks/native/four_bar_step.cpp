// The L-loop four-bar by hand: the limit that the benchmark `multibody` measures against. It knows points in
// the plane, rods between them and nothing else: one kind of constraint, one kind of element, block pattern and
// all index lists made once, memory for one step reused. It does not know that the points form a chain.
//
// Method: index-3 augmented Lagrangian with velocity and acceleration projections, trapezoidal rule, made fourth
// order by the jerk (Hermite's rule), which costs one more right-hand side of the same factorisation.
//
//   state         points q, velocities v, accelerations a, jerks j; multipliers live for one step only
//   constraints   phi = (d.d - l^2) / 2 for each rod, d between its ends; J = d phi / d q
//   predict       j* = 2 j - j_last,  a* = a + h/2 (j + j*),  v* = v + h/2 (a + a*) - h^2/12 (j* - j),
//                 q* = q + h/2 (v + v*) - h^2/12 (a* - a),  mu = 0
//   correct       (M + p J^T J) dq = h^2/4 (Q - M a*) - J^T (p phi + mu),  mu += p (phi + J dq),
//                 q* += dq,  v* += 2/h dq,  a* += 4/h^2 dq;  the multipliers are 4/h^2 mu
//   project       (M + p J^T J) [dv da j] = p J^T [-J v*,  -J a* - D(v*, v*),  -3 D(v*, a*)] - [0, 0, Jdot^T 4/h^2 mu],
//                 where D(x, y) is the product of the rod's differences of x and of y;
//                 then v = v* + dv - h^2/12 (j - j*),  a = a* + da
//
// The right-hand sides use the J that was factorised and every solve is for an increment: the condensed matrix
// is then as accurate as the system with the multipliers among its unknowns, at a fifth of the operations. One
// correction is enough except near poses where the constraints become redundant.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

namespace {

constexpr double step_size = 1e-3;
constexpr double penalty = 1e6;      // kg; large against the masses, small against their mantissa
constexpr double tolerance = 3e-11;  // m, of the correction that would come next
constexpr int most_corrections = 10;
constexpr double gravity = 9.81;
constexpr int ground = -1;

struct Vector {
  double x, y;
};

Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y}; }
Vector operator*(double s, Vector a) { return {s * a.x, s * a.y}; }
double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y; }
void operator+=(Vector& a, Vector b) { a = a + b; }
void operator-=(Vector& a, Vector b) { a = a - b; }

// Right-hand sides of the projections, solved together: what one of them waits for, another can use.
struct Three {
  Vector velocity, acceleration, jerk;
};

struct Symmetric {
  double xx, xy, yy;
};

struct Block {
  double xx, xy, yx, yy;
};

Vector times(const Symmetric& s, Vector v) { return {s.xx * v.x + s.xy * v.y, s.xy * v.x + s.yy * v.y}; }
Vector times(const Block& b, Vector v) { return {b.xx * v.x + b.xy * v.y, b.yx * v.x + b.yy * v.y}; }
Vector transposed_times(const Block& b, Vector v) { return {b.xx * v.x + b.yx * v.y, b.xy * v.x + b.yy * v.y}; }

Three times(const Symmetric& s, const Three& t) {
  return {times(s, t.velocity), times(s, t.acceleration), times(s, t.jerk)};
}
Three times(const Block& b, const Three& t) {
  return {times(b, t.velocity), times(b, t.acceleration), times(b, t.jerk)};
}
Three transposed_times(const Block& b, const Three& t) {
  return {transposed_times(b, t.velocity), transposed_times(b, t.acceleration), transposed_times(b, t.jerk)};
}
void operator-=(Three& a, const Three& b) {
  a.velocity -= b.velocity;
  a.acceleration -= b.acceleration;
  a.jerk -= b.jerk;
}

// L D L^T of a symmetric positive definite matrix of 2 x 2 blocks whose pattern never changes.
class Factorisation {
 public:
  std::vector<Symmetric> diagonal;  // the matrix when assembled; inverse pivots when factorised
  std::vector<Block> below;         // the matrix when assembled; L when factorised

  // Orders by minimum degree, the longest waiting first: a chain is then taken from both ends in turn, and
  // the processor has two independent columns to work on.
  void analyse(std::vector<std::set<int>> neighbours) {
    const int count = static_cast<int>(neighbours.size());
    position.assign(neighbours.size(), 0);
    std::map<std::size_t, std::deque<int>> waiting;
    for (int node = 0; node < count; ++node) waiting[neighbours[node].size()].push_back(node);
    std::vector<char> done(neighbours.size(), 0);
    std::vector<std::vector<int>> columns;
    while (!waiting.empty()) {
      auto& [degree, queue] = *waiting.begin();
      const std::size_t wanted = degree;
      const int node = queue.front();
      queue.pop_front();
      if (queue.empty()) waiting.erase(waiting.begin());
      if (done[node] || neighbours[node].size() != wanted) continue;
      done[node] = 1;
      position[node] = static_cast<int>(columns.size());
      columns.emplace_back(neighbours[node].begin(), neighbours[node].end());
      for (const int a : columns.back()) {
        neighbours[a].erase(node);
        for (const int b : columns.back())
          if (a != b) neighbours[a].insert(b);
        waiting[neighbours[a].size()].push_back(a);
      }
    }
    first.assign(1, 0);
    for (auto& column : columns) {
      for (int& node : column) node = position[node];
      std::sort(column.begin(), column.end());
      row.insert(row.end(), column.begin(), column.end());
      first.push_back(static_cast<int>(row.size()));
    }
    for (int j = 0; j < count; ++j)
      for (int k = first[j]; k < first[j + 1]; ++k)
        for (int l = k + 1; l < first[j + 1]; ++l) target.push_back(find(row[l], row[k]));
    diagonal.resize(neighbours.size());
    below.resize(row.size());
  }

  // Where the block (i, j) is kept, given positions i > j.
  int find(int i, int j) const {
    const auto found = std::lower_bound(row.begin() + first[j], row.begin() + first[j + 1], i);
    return static_cast<int>(found - row.begin());
  }

  // Factorises and takes one right-hand side along through the forward substitution.
  void factorise(Vector* right) {
    const int count = static_cast<int>(diagonal.size());
    const int* next_target = target.data();
    for (int j = 0; j < count; ++j) {
      const Symmetric pivot = diagonal[j];
      const double reciprocal = 1.0 / (pivot.xx * pivot.yy - pivot.xy * pivot.xy);
      const Symmetric inverse{reciprocal * pivot.yy, -reciprocal * pivot.xy, reciprocal * pivot.xx};
      diagonal[j] = inverse;
      const Vector known = right[j];
      for (int k = first[j]; k < first[j + 1]; ++k) {
        const Block old = below[k];
        const Block l{old.xx * inverse.xx + old.xy * inverse.xy, old.xx * inverse.xy + old.xy * inverse.yy,
                      old.yx * inverse.xx + old.yy * inverse.xy, old.yx * inverse.xy + old.yy * inverse.yy};
        Symmetric& d = diagonal[row[k]];
        d.xx -= old.xx * l.xx + old.xy * l.xy;
        d.xy -= old.xx * l.yx + old.xy * l.yy;
        d.yy -= old.yx * l.yx + old.yy * l.yy;
        for (int m = k + 1; m < first[j + 1]; ++m) {
          const Block& other = below[m];
          Block& b = below[*next_target++];
          b.xx -= other.xx * l.xx + other.xy * l.xy;
          b.xy -= other.xx * l.yx + other.xy * l.yy;
          b.yx -= other.yx * l.xx + other.yy * l.xy;
          b.yy -= other.yx * l.yx + other.yy * l.yy;
        }
        below[k] = l;
        right[row[k]] -= times(l, known);
      }
    }
  }

  template <class Right>
  void forward(Right* right) const {
    const int count = static_cast<int>(diagonal.size());
    for (int j = 0; j < count; ++j) {
      const Right known = right[j];
      for (int k = first[j]; k < first[j + 1]; ++k) right[row[k]] -= times(below[k], known);
    }
  }

  template <class Right>
  void backward(Right* right) const {
    for (int j = static_cast<int>(diagonal.size()) - 1; j >= 0; --j) {
      Right known = times(diagonal[j], right[j]);
      for (int k = first[j]; k < first[j + 1]; ++k) known -= transposed_times(below[k], right[row[k]]);
      right[j] = known;
    }
  }

  std::vector<int> position;  // of each node in the order of elimination

 private:
  std::vector<int> first, row, target;
};

// A uniform rod; points are numbered in the order of elimination.
struct Rod {
  int start, end;  // start may be the ground
  double length, mass;
  int block = 0;  // of the pair, when both ends are points
};

class Mechanism {
 public:
  std::vector<Vector> q, v, a, j;

  Mechanism(const std::vector<Vector>& points, const std::vector<Vector>& velocities, const std::vector<Rod>& given,
            const std::vector<Vector>& grounds)
      : anchor(grounds) {
    std::vector<std::set<int>> neighbours(points.size());
    for (const Rod& rod : given)
      if (rod.start != ground) {
        neighbours[rod.start].insert(rod.end);
        neighbours[rod.end].insert(rod.start);
      }
    matrix.analyse(neighbours);
    const auto count = points.size();
    for (auto* array : {&q, &v, &a, &j, &j_last, &force}) array->assign(count, Vector{0.0, 0.0});
    predicted.resize(count);
    right.resize(count);
    three.resize(count);
    base_diagonal.assign(count, Symmetric{0.0, 0.0, 0.0});
    base_below.assign(matrix.below.size(), Block{0.0, 0.0, 0.0, 0.0});
    for (std::size_t k = 0; k < count; ++k) {
      q[matrix.position[k]] = points[k];
      v[matrix.position[k]] = velocities[k];
    }
    for (Rod rod : given) add(rod);
    const std::size_t rods = cranks.size() + links.size();
    d.resize(rods);
    phi.resize(rods);
    multiplier.resize(rods);
    start();
  }

  // Returns the corrections made, or -1 when a step fails.
  std::int64_t run(std::int64_t steps) {
    std::int64_t corrections = 0;
    for (std::int64_t k = 0; k < steps; ++k) {
      const int made = step();
      if (made < 0) return -1;
      corrections += made;
    }
    return corrections;
  }

  Vector point(int k) const { return q[matrix.position[k]]; }

 private:
  struct Predicted {
    Vector q, v, a, j;
  };

  std::vector<Rod> cranks, links;  // rods with one end on the ground, and the others
  std::vector<Vector> anchor;
  std::vector<Vector> j_last, force;
  std::vector<Symmetric> base_diagonal;
  std::vector<Block> base_below;
  Factorisation matrix;
  std::vector<Predicted> predicted;
  std::vector<Vector> right;
  std::vector<Three> three;
  std::vector<Vector> d;  // cranks first, then links
  std::vector<double> phi, multiplier;

  void add(Rod rod) {
    const Vector half_weight{0.0, -0.5 * gravity * rod.mass};
    rod.end = matrix.position[rod.end];
    add_mass(rod.end, rod.mass / 3.0);
    force[rod.end] += half_weight;
    if (rod.start == ground) {
      cranks.push_back(rod);
      return;
    }
    rod.start = matrix.position[rod.start];
    add_mass(rod.start, rod.mass / 3.0);
    force[rod.start] += half_weight;
    // phi is even in d, so the ends may be exchanged: the later one is the row of the block.
    if (rod.end < rod.start) std::swap(rod.start, rod.end);
    rod.block = matrix.find(rod.end, rod.start);
    base_below[rod.block].xx += rod.mass / 6.0;
    base_below[rod.block].yy += rod.mass / 6.0;
    links.push_back(rod);
  }

  void add_mass(int point, double mass) {
    base_diagonal[point].xx += mass;
    base_diagonal[point].yy += mass;
  }

  // Consistent accelerations and jerks of the initial state.
  void start() {
    const std::vector<Vector> q_given = q, v_given = v;
    for (std::size_t k = 0; k < q.size(); ++k) predicted[k] = {q_given[k], v_given[k], {0.0, 0.0}, {0.0, 0.0}};
    // Each pass improves the multipliers by those of the projected accelerations.
    for (int pass = 0; pass < 3; ++pass) {
      std::fill(multiplier.begin(), multiplier.end(), 0.0);
      linearise();
      matrix.factorise(right.data());
      matrix.backward(right.data());
      multipliers();
      for (std::size_t k = 0; k < q.size(); ++k) predicted[k].a += 4.0 / (step_size * step_size) * right[k];
      project();
      for (std::size_t k = 0; k < q.size(); ++k) predicted[k] = {q_given[k], v_given[k], a[k], j[k]};
    }
    v = v_given;
    j_last = j;
  }

  // Returns the corrections made, or -1 when they do not converge.
  int step() {
    predict();
    std::fill(multiplier.begin(), multiplier.end(), 0.0);
    double last = 1.0;
    for (int made = 1;; ++made) {
      linearise();
      matrix.factorise(right.data());
      matrix.backward(right.data());
      const double correction = correct();
      const double left = multipliers();
      if (!(correction < 1.0 && std::isfinite(right[0].x))) return -1;
      const double next = made == 1 ? correction * correction + left : correction * correction / last;
      last = correction;
      if (next < tolerance || made == most_corrections) {
        project();
        return made;
      }
    }
  }

  void predict() {
    constexpr double h = step_size, half = 0.5 * h, twelfth = h * h / 12.0;
    for (std::size_t k = 0; k < q.size(); ++k) {
      const Vector next_j = 2.0 * j[k] - j_last[k];
      const Vector change = half * (j[k] + next_j);
      const Vector next_a = a[k] + change;
      const Vector next_v = v[k] + half * (a[k] + next_a) - twelfth * (next_j - j[k]);
      predicted[k] = {q[k] + half * (v[k] + next_v) - twelfth * change, next_v, next_a, next_j};
    }
  }

  // Matrix and right-hand side of the correction at the predicted state.
  void linearise() {
    constexpr double factor = 0.25 * step_size * step_size;
    std::copy(base_diagonal.begin(), base_diagonal.end(), matrix.diagonal.begin());
    std::copy(base_below.begin(), base_below.end(), matrix.below.begin());
    for (std::size_t k = 0; k < q.size(); ++k) right[k] = factor * (force[k] - base_diagonal[k].xx * predicted[k].a);
    std::size_t c = 0;
    for (const Rod& rod : cranks) {
      const Vector along = predicted[rod.end].q - anchor[c];
      const double violation = 0.5 * (dot(along, along) - rod.length * rod.length);
      const Vector stiff = penalty * along;
      d[c] = along;
      phi[c] = violation;
      Symmetric& s = matrix.diagonal[rod.end];
      s.xx += stiff.x * along.x;
      s.xy += stiff.x * along.y;
      s.yy += stiff.y * along.y;
      right[rod.end] -= (penalty * violation + multiplier[c]) * along;
      ++c;
    }
    for (const Rod& rod : links) {
      const Vector along = predicted[rod.end].q - predicted[rod.start].q;
      const double violation = 0.5 * (dot(along, along) - rod.length * rod.length);
      const Vector stiff = penalty * along;
      d[c] = along;
      phi[c] = violation;
      const double xx = stiff.x * along.x, xy = stiff.x * along.y, yy = stiff.y * along.y;
      Symmetric& s = matrix.diagonal[rod.start];
      s.xx += xx;
      s.xy += xy;
      s.yy += yy;
      Symmetric& e = matrix.diagonal[rod.end];
      e.xx += xx;
      e.xy += xy;
      e.yy += yy;
      Block& b = matrix.below[rod.block];
      b.xx -= xx;
      b.xy -= xy;
      b.yx -= xy;
      b.yy -= yy;
      const double sixth = factor * rod.mass / 6.0;
      const Vector push = (penalty * violation + multiplier[c]) * along;
      right[rod.start] += push - sixth * predicted[rod.end].a;
      right[rod.end] -= push + sixth * predicted[rod.start].a;
      ++c;
    }
  }

  // Applies the correction and returns its largest component.
  double correct() {
    constexpr double to_v = 2.0 / step_size, to_a = 4.0 / (step_size * step_size);
    double largest = 0.0;
    for (std::size_t k = 0; k < q.size(); ++k) {
      const Vector change = right[k];
      predicted[k].q += change;
      predicted[k].v += to_v * change;
      predicted[k].a += to_a * change;
      largest = std::max({largest, std::abs(change.x), std::abs(change.y)});
    }
    return largest;
  }

  // Multipliers of the correction; returns the largest constraint violation that they leave.
  double multipliers() {
    double largest = 0.0;
    std::size_t c = 0;
    const auto keep = [&](double along) {
      const double left = phi[c] + along;
      multiplier[c] += penalty * left;
      largest = std::max(largest, std::abs(left));
      ++c;
    };
    for (const Rod& rod : cranks) keep(dot(d[c], right[rod.end]));
    for (const Rod& rod : links) keep(dot(d[c], right[rod.end] - right[rod.start]));
    return largest;
  }

  // Velocities, accelerations and jerks that satisfy the derivatives of the constraints.
  void project() {
    constexpr double to_force = 4.0 / (step_size * step_size), twelfth = step_size * step_size / 12.0;
    std::fill(three.begin(), three.end(), Three{});
    std::size_t c = 0;
    for (const Rod& rod : cranks) {
      const Vector along = d[c], vel = predicted[rod.end].v, acc = predicted[rod.end].a;
      const Vector stiff = penalty * along;
      Three& e = three[rod.end];
      e.velocity -= dot(along, vel) * stiff;
      e.acceleration -= (dot(along, acc) + dot(vel, vel)) * stiff;
      e.jerk -= 3.0 * dot(vel, acc) * stiff + (to_force * multiplier[c]) * vel;
      ++c;
    }
    for (const Rod& rod : links) {
      const Vector along = d[c], vel = predicted[rod.end].v - predicted[rod.start].v;
      const Vector acc = predicted[rod.end].a - predicted[rod.start].a;
      const Vector stiff = penalty * along;
      const Three push{dot(along, vel) * stiff, (dot(along, acc) + dot(vel, vel)) * stiff,
                       3.0 * dot(vel, acc) * stiff + (to_force * multiplier[c]) * vel};
      Three& s = three[rod.start];
      s.velocity += push.velocity;
      s.acceleration += push.acceleration;
      s.jerk += push.jerk;
      three[rod.end] -= push;
      ++c;
    }
    matrix.forward(three.data());
    matrix.backward(three.data());
    for (std::size_t k = 0; k < q.size(); ++k) {
      q[k] = predicted[k].q;
      v[k] = predicted[k].v + three[k].velocity - twelfth * (three[k].jerk - predicted[k].j);
      a[k] = predicted[k].a + three[k].acceleration;
      j_last[k] = j[k];
      j[k] = three[k].jerk;
    }
  }
};

}  // namespace

// L cells of 1 m: cranks on the ground at (k, 0), upright, and links between their tips; all tips move at 1 m/s.
extern "C" void* four_bar_new(int loops) {
  std::vector<Vector> points, grounds;
  std::vector<Rod> rods;
  for (int k = 0; k <= loops; ++k) {
    points.push_back({static_cast<double>(k), 1.0});
    grounds.push_back({static_cast<double>(k), 0.0});
    rods.push_back({ground, k, 1.0, 1.0});
    if (k > 0) rods.push_back({k - 1, k, 1.0, 1.0});
  }
  const std::vector<Vector> velocities(points.size(), Vector{1.0, 0.0});
  return new Mechanism(points, velocities, rods, grounds);
}

extern "C" std::int64_t four_bar_run(void* mechanism, std::int64_t steps) {
  return static_cast<Mechanism*>(mechanism)->run(steps);
}

// Position of the tip of crank k.
extern "C" void four_bar_point(const void* mechanism, int k, double* xy) {
  const Vector point = static_cast<const Mechanism*>(mechanism)->point(k);
  xy[0] = point.x;
  xy[1] = point.y;
}

extern "C" void four_bar_delete(void* mechanism) { delete static_cast<Mechanism*>(mechanism); }
