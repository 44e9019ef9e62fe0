// Tables over one and two signals.

#include <algorithm>
#include <array>
#include <cmath>

#include "diagram/blocks/elementwise.hpp"
#include "diagram/blocks/interpolation.hpp"

namespace counterpoint::diagram {
namespace {

enum class Between { linear, cubic, hold, nearest };
enum class Outside { clip, linear, error };

struct Options {
  Between between;
  Outside outside;
  bool is_stepped() const { return between == Between::hold || between == Between::nearest; }
};

/// Values (slopes for cubic) at points of an axis, at u in interval k.
double along(const double* x, const double* y, const double* slopes, int last, int k, double u,
             const Options& options) {
  if (options.outside != Outside::linear) u = std::clamp(u, x[0], x[last]);
  if (options.between == Between::linear) return line(x[k], x[k + 1], y[k], y[k + 1], u);
  if (u < x[0]) return y[0] + slopes[0] * (u - x[0]);
  if (u > x[last]) return y[last] + slopes[last] * (u - x[last]);
  return hermite(x[k], x[k + 1], y[k], y[k + 1], slopes[k], slopes[k + 1], u);
}

/// Where one axis is cut into pieces that must not be left between accepted times.
class Pieces {
 public:
  Pieces() = default;
  explicit Pieces(std::vector<double> bounds) : bounds_(std::move(bounds)) {}
  double find(double u) const {
    return static_cast<double>(std::upper_bound(bounds_.begin(), bounds_.end(), u) - bounds_.begin());
  }
  void crossing(double piece, double u, double* g) const {
    const std::size_t p = static_cast<std::size_t>(piece);
    g[0] = p > 0 ? u - bounds_[p - 1] : 1.0;
    g[1] = p < bounds_.size() ? u - bounds_[p] : -1.0;
  }

 private:
  std::vector<double> bounds_;
};

/// Steps: point i holds from bound i - 1 to bound i.
Pieces steps_of(const Axis& x, Between between) {
  std::vector<double> bounds;
  for (int i = 1; i < x.points(); ++i) bounds.push_back(between == Between::hold ? x[i] : 0.5 * (x[i - 1] + x[i]));
  return Pieces(std::move(bounds));
}

void check_inside(const Axis& x, double u, const char* name) {
  if (u >= x.first() && u <= x.last()) return;
  throw std::out_of_range("input \"" + std::string(name) + "\" is " + shown(u) + ", outside of the table from " +
                          shown(x.first()) + " to " + shown(x.last()));
}

/// y(u). z, by component where there are pieces: the piece.
class Lookup1D final : public Elementwise {
 public:
  Lookup1D(Axis x, std::vector<double> y, const Options& options, bool locates_corners)
      : Elementwise({"u"}), axis_(std::move(x)), values_(std::move(y)), options_(options) {
    for (int i = 0; i < axis_.points(); ++i) points_.push_back(axis_[i]);
    slopes_.resize(values_.size());
    if (options.between == Between::cubic)
      pchip_slopes(points_.data(), values_.data(), slopes_.data(), axis_.points(), 1);
    has_pieces_ = options.is_stepped() || locates_corners;
    if (options.is_stepped())
      pieces_ = steps_of(axis_, options.between);
    else if (locates_corners)
      pieces_ = Pieces(points_);
  }
  bool is_pure() const override { return true; }
  int memory() const override { return has_pieces_ ? width_ : 0; }
  int crossings() const override { return width_ * per_component(); }
  void output(const Context& context, int) override {
    const bool decides = context.decides();
    for (int k = 0; k < width_; ++k) {
      const double u = u_[0][k];
      if (decides && options_.outside == Outside::error) check_inside(axis_, u, "u");
      if (decides && has_pieces_) z()[k] = pieces_.find(u);
      y_[k] = options_.is_stepped() ? values_[static_cast<int>(z()[k])]
              : has_pieces_         ? on_piece(z()[k], u)
                                    : at(axis_.find(u), u);
    }
  }
  void crossing(const Context&, double* g) override {
    for (int k = 0; k < width_; ++k) {
      const double u = u_[0][k];
      if (has_pieces_) {
        pieces_.crossing(z()[k], u, g);
        g += 2;
      }
      if (options_.outside == Outside::error) {
        *g++ = u - axis_.first();
        *g++ = u - axis_.last();
      }
    }
  }

 private:
  int per_component() const { return (has_pieces_ ? 2 : 0) + (options_.outside == Outside::error ? 2 : 0); }
  double at(int k, double u) const {
    return along(points_.data(), values_.data(), slopes_.data(), axis_.points() - 1, k, u, options_);
  }
  /// The straight line of interval `piece` - 1, beyond its ends too.
  double on_piece(double piece, double u) const {
    const int last = axis_.points() - 1;
    const int p = static_cast<int>(piece);
    const bool is_outside = p == 0 || p > last;
    if (is_outside && options_.outside != Outside::linear) return p == 0 ? values_.front() : values_.back();
    const int k = std::clamp(p - 1, 0, last - 1);
    return line(points_[k], points_[k + 1], values_[k], values_[k + 1], u);
  }

  Axis axis_;
  std::vector<double> points_, values_, slopes_;
  Options options_;
  Pieces pieces_;
  bool has_pieces_ = false;
};

/// y(u, v); rows over u, columns over v. Cubic: along v in the rows around u, then along u.
class Lookup2D final : public Elementwise {
 public:
  Lookup2D(Axis x, Axis y, std::vector<double> values, const Options& options)
      : Elementwise({"u", "v"}), x_(std::move(x)), y_(std::move(y)), values_(std::move(values)), options_(options) {
    for (int i = 0; i < x_.points(); ++i) x_points_.push_back(x_[i]);
    for (int j = 0; j < y_.points(); ++j) y_points_.push_back(y_[j]);
    slopes_.resize(values_.size());
    for (int i = 0; i < x_.points() && options.between == Between::cubic; ++i) {
      pchip_slopes(y_points_.data(), row(values_, i), const_cast<double*>(row(slopes_, i)), y_.points(), 1);
    }
    if (!options.is_stepped()) return;
    x_steps_ = steps_of(x_, options.between);
    y_steps_ = steps_of(y_, options.between);
  }
  bool is_pure() const override { return true; }
  int memory() const override { return options_.is_stepped() ? 2 * width_ : 0; }
  int crossings() const override {
    return width_ * ((options_.is_stepped() ? 4 : 0) + (options_.outside == Outside::error ? 4 : 0));
  }
  void output(const Context& context, int) override {
    const bool decides = context.decides();
    for (int k = 0; k < width_; ++k) {
      const double u = u_[0][k], v = u_[1][k];
      if (decides && options_.outside == Outside::error) {
        check_inside(x_, u, "u");
        check_inside(y_, v, "v");
      }
      Elementwise::y_[k] = options_.is_stepped() ? stepped(decides, z() + 2 * k, u, v) : smooth(u, v);
    }
  }
  void crossing(const Context&, double* g) override {
    for (int k = 0; k < width_; ++k) {
      const double u = u_[0][k], v = u_[1][k];
      if (options_.is_stepped()) {
        x_steps_.crossing(z()[2 * k], u, g);
        y_steps_.crossing(z()[2 * k + 1], v, g + 2);
        g += 4;
      }
      if (options_.outside == Outside::error) {
        for (double distance : {u - x_.first(), u - x_.last(), v - y_.first(), v - y_.last()}) *g++ = distance;
      }
    }
  }

 private:
  const double* row(const std::vector<double>& table, int i) const { return table.data() + i * y_.points(); }

  double stepped(bool decides, double* place, double u, double v) const {
    if (decides) {
      place[0] = x_steps_.find(u);
      place[1] = y_steps_.find(v);
    }
    return row(values_, static_cast<int>(place[0]))[static_cast<int>(place[1])];
  }

  /// The rows next to u are enough: a slope of the cubic needs one neighbour on either side, two at an end.
  double smooth(double u, double v) const {
    const int i = x_.find(u), j = y_.find(v);
    const int reach = options_.between == Between::cubic ? 1 : 0;
    const int first = std::max(0, i - reach), last = std::min(x_.points() - 1, i + 1 + reach);
    std::array<double, 4> in_rows, slopes{};
    for (int r = first; r <= last; ++r) {
      in_rows[r - first] = along(y_points_.data(), row(values_, r), row(slopes_, r), y_.points() - 1, j, v, options_);
    }
    const double* points = x_points_.data() + first;
    if (reach > 0) pchip_slopes(points, in_rows.data(), slopes.data(), last - first + 1, 1);
    // Outside of the axis means outside of these rows on the same side: only there are they its end.
    return along(points, in_rows.data(), slopes.data(), last - first, i - first, u, options_);
  }

  Axis x_, y_;
  std::vector<double> x_points_, y_points_, values_, slopes_;
  Options options_;
  Pieces x_steps_, y_steps_;
};

Options read_options(ParameterReader& p) {
  const std::string between = p.word("interpolation", {"linear", "cubic", "hold", "nearest"}, "linear");
  const std::string outside = p.word("extrapolation", {"clip", "linear", "error"}, "clip");
  return {between == "linear"  ? Between::linear
          : between == "cubic" ? Between::cubic
          : between == "hold"  ? Between::hold
                               : Between::nearest,
          outside == "clip"     ? Outside::clip
          : outside == "linear" ? Outside::linear
                                : Outside::error};
}

BlockPointer make_lookup_1d(ParameterReader& p) {
  Axis x("x", p.vector("x"));
  std::vector<double> y = p.vector("y");
  if (static_cast<int>(y.size()) != x.points()) {
    throw std::invalid_argument("\"y\": " + std::to_string(y.size()) + " values, but \"x\" has " +
                                std::to_string(x.points()));
  }
  const Options options = read_options(p);
  const bool locates_corners = p.flag("locate_corners", false);
  if (locates_corners && options.between != Between::linear) {
    throw std::invalid_argument("\"locate_corners\": applies only with linear interpolation");
  }
  return std::make_shared<Lookup1D>(std::move(x), std::move(y), options, locates_corners);
}

BlockPointer make_lookup_2d(ParameterReader& p) {
  Axis x("x", p.vector("x")), y("y", p.vector("y"));
  Array table = p.matrix("table");
  if (table.rows != x.points() || table.columns != y.points()) {
    throw std::invalid_argument("\"table\": " + std::to_string(table.rows) + " x " + std::to_string(table.columns) +
                                " values; \"x\" and \"y\" require " + std::to_string(x.points()) + " x " +
                                std::to_string(y.points()));
  }
  return std::make_shared<Lookup2D>(std::move(x), std::move(y), std::move(table.values), read_options(p));
}

}  // namespace

void add_lookup(Registry& registry) {
  registry.add("lookup_1d", make_lookup_1d);
  registry.add("lookup_2d", make_lookup_2d);
}

}  // namespace counterpoint::diagram
