// A table over time.

#include <algorithm>

#include "diagram/blocks/interpolation.hpp"
#include "diagram/blocks/source_block.hpp"

namespace counterpoint::diagram {
namespace {

enum class Between { hold, linear, cubic };
enum class Outside { hold, extrapolate, zero, repeat };

struct TableData {
  std::vector<double> times;   ///< never decreasing; a time given twice is a jump
  std::vector<double> values;  ///< row by row
  int width = 1;
  Between between = Between::linear;
  Outside before = Outside::hold, after = Outside::hold;
  bool locates_corners = true;
};

/// The table is cut into pieces at its jumps (and corners); piece p lies between cut p - 1 and cut p. A piece
/// is smooth and stays in force between accepted times, so the end of a step that meets a jump is still
/// computed from the left. z: the piece, and the time by which the table was moved (when it repeats).
class TableSource final : public Block {
 public:
  TableSource(TableData data, std::vector<std::string> names) : Block({}, std::move(names)), data_(std::move(data)) {
    cut();
    if (data_.between == Between::cubic) find_slopes();
  }
  void shape(Shape& shape) const override {
    std::fill(shape.outputs.begin(), shape.outputs.end(), outputs() == 1 ? data_.width : 1);
  }
  int memory() const override { return 2; }
  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    targets_.clear();
    for (std::size_t j = 0; j < bound().out.size(); ++j) {
      for (int k = 0; k < out_width(static_cast<int>(j)); ++k) targets_.push_back(bound().out[j] + k);
    }
  }
  double next_event(double t) const override {
    if (!repeats()) {
      const auto next = std::upper_bound(cuts_.begin(), cuts_.end(), t);
      return next == cuts_.end() ? infinity : *next;
    }
    if (t == -infinity) return cuts_.front();
    const double cycle = cycle_at(t);
    for (double cut : cuts_) {
      if (cut + cycle * period() > t) return cut + cycle * period();
    }
    return cuts_.front() + (cycle + 1.0) * period();
  }
  void output(const Context& context, int) override {
    if (context.decides()) decide(context.time);
    const Piece& piece = pieces_[static_cast<int>(z()[0])];
    const double t = context.time - z()[1];
    if (piece.is_zero) {
      for (double* target : targets_) *target = 0.0;
    } else {
      write(piece, t);
    }
  }

 private:
  struct Piece {
    int first = 0, last = 0;  ///< rows; one row alone is constant
    bool is_zero = false;
  };

  bool repeats() const { return data_.after == Outside::repeat; }
  double period() const { return data_.times.back() - data_.times.front(); }
  int rows() const { return static_cast<int>(data_.times.size()); }

  void cut() {
    const std::vector<double>& t = data_.times;
    pieces_.push_back(outside(data_.before, 0, 1));
    cuts_.push_back(t.front());
    Piece open{0, 0};
    for (int k = 0; k + 1 < rows(); ++k) {
      const bool is_jump = t[k + 1] == t[k];
      if (!is_jump) open.last = data_.between == Between::hold ? k : k + 1;
      const bool ends =
          is_jump || data_.between == Between::hold || (data_.between == Between::linear && data_.locates_corners);
      if (!ends) continue;
      if (t[k + 1] > cuts_.back()) {
        pieces_.push_back(open);
        cuts_.push_back(t[k + 1]);
      }
      open = {k + 1, k + 1};
    }
    if (t.back() > cuts_.back()) {
      pieces_.push_back(open);
      cuts_.push_back(t.back());
    }
    pieces_.push_back(outside(data_.after, rows() - 1, rows() - 2));
    if (repeats()) cuts_.pop_back();  // the end is the beginning of the next turn
  }

  Piece outside(Outside kind, int end, int inner) const {
    if (kind == Outside::zero) return {0, 0, true};
    const bool has_slope = rows() > 1 && data_.between != Between::hold && data_.times[end] != data_.times[inner];
    if (kind != Outside::extrapolate || !has_slope) return {end, end};
    return {std::min(end, inner), std::max(end, inner)};
  }

  void find_slopes() {
    slopes_.resize(data_.values.size());
    for (int begin = 0, k = 1; k <= rows(); ++k) {
      if (k < rows() && data_.times[k] > data_.times[k - 1]) continue;
      for (int j = 0; j < data_.width; ++j) {
        const int at = begin * data_.width + j;
        pchip_slopes(&data_.times[begin], &data_.values[at], &slopes_[at], k - begin, data_.width);
      }
      begin = k;
    }
  }

  /// Turns of the table before t; the same sums as in next_event, so that rounding cannot put them at odds.
  double cycle_at(double t) const {
    double cycle = std::floor((t - cuts_.front()) / period()) + 1.0;
    while (cuts_.front() + cycle * period() > t) cycle -= 1.0;
    return cycle;
  }

  void decide(double t) {
    const double moved = repeats() ? cycle_at(t) * period() : 0.0;
    z()[1] = moved;
    const auto is_later = [moved](double time, double cut) { return time < cut + moved; };
    z()[0] = static_cast<double>(std::upper_bound(cuts_.begin(), cuts_.end(), t, is_later) - cuts_.begin());
  }

  void write(const Piece& piece, double t) {
    const double* v = data_.values.data();
    const int w = data_.width;
    if (piece.first == piece.last) {
      for (int j = 0; j < w; ++j) *targets_[j] = v[piece.first * w + j];
      return;
    }
    const auto begin = data_.times.begin();
    const int k = static_cast<int>(std::upper_bound(begin + piece.first + 1, begin + piece.last, t) - begin) - 1;
    const double t0 = data_.times[k], t1 = data_.times[k + 1];
    const double* a = v + k * w;
    const double* b = a + w;
    for (int j = 0; j < w; ++j) {
      if (data_.between == Between::linear) {
        *targets_[j] = line(t0, t1, a[j], b[j], t);
      } else {
        const double ma = slopes_[k * w + j], mb = slopes_[(k + 1) * w + j];
        const bool is_early = t<data_.times.front(), is_late = t> data_.times.back();
        *targets_[j] = is_early  ? a[j] + ma * (t - t0)
                       : is_late ? b[j] + mb * (t - t1)
                                 : hermite(t0, t1, a[j], b[j], ma, mb, t);
      }
    }
  }

  TableData data_;
  std::vector<double> slopes_;
  std::vector<double> cuts_;
  std::vector<Piece> pieces_;
  std::vector<double*> targets_;
};

Outside outside_from(const std::string& word) {
  return word == "hold"     ? Outside::hold
         : word == "zero"   ? Outside::zero
         : word == "repeat" ? Outside::repeat
                            : Outside::extrapolate;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts{""};
  for (char c : text) {
    if (c == '\n')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

void check_times(const std::vector<double>& times) {
  if (times.empty()) throw std::invalid_argument("\"times\": expected at least one");
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (times[k] >= times[k - 1]) continue;
    throw std::invalid_argument("\"times\": " + shown(times[k]) + " s (row " + std::to_string(k) + ") follows " +
                                shown(times[k - 1]) + " s; times must not decrease");
  }
}

BlockPointer make_table(ParameterReader& p) {
  TableData data;
  data.times = p.vector("times");
  check_times(data.times);
  const Array values = p.matrix("values");
  const std::size_t rows = data.times.size();
  const bool is_column = values.rows == 1 && values.values.size() == rows;
  if (!is_column && static_cast<std::size_t>(values.rows) != rows) {
    throw std::invalid_argument("\"values\": " + std::to_string(values.rows == 1 ? values.columns : values.rows) +
                                " rows, but \"times\" has " + std::to_string(rows));
  }
  data.width = is_column ? 1 : values.columns;
  data.values = values.values;
  const std::string between = p.word("interpolation", {"linear", "hold", "cubic"}, "linear");
  data.between = between == "hold" ? Between::hold : between == "linear" ? Between::linear : Between::cubic;
  data.before = outside_from(p.word("before", {"hold", "extrapolate", "zero"}, "hold"));
  data.after = outside_from(p.word("after", {"hold", "extrapolate", "zero", "repeat"}, "hold"));
  data.locates_corners = p.flag("locate_corners", true);
  if (data.after == Outside::repeat && !(data.times.back() > data.times.front())) {
    throw std::invalid_argument("\"after\": repeat needs a table that lasts longer than 0 s");
  }
  const std::vector<std::string> names = split(p.text("names", "y"));
  if (names.size() != 1 && static_cast<int>(names.size()) != data.width) {
    throw std::invalid_argument("\"names\": " + std::to_string(names.size()) + " names for " +
                                std::to_string(data.width) + " columns");
  }
  return std::make_shared<TableSource>(std::move(data), names);
}

}  // namespace

void add_table_source(Registry& registry) { registry.add("table", make_table); }

}  // namespace counterpoint::diagram
