#include "coupling/written_network.hpp"

#include <cmath>

namespace counterpoint::recipe {

/// What changes while it runs; the rest is as it was made.
template <>
struct Fields<StepClock> {
  static auto of(auto& c) { return std::tie(c.start_, c.next_on_grid_, c.count_); }
};
template <>
struct Fields<Polynomial> {
  static auto of(auto& p) { return std::tie(p.width, p.from, p.to, p.degree, p.nodes, p.coefficients); }
};
template <>
struct Fields<Inputs::Saved::ConnectionState> {
  static auto of(auto& t) {
    return std::tie(t.begin, t.end, t.window_from, t.window_until, t.source_next, t.polynomial, t.last_input);
  }
};
template <>
struct Fields<Inputs::Saved> {
  static auto of(auto& s) {
    return std::tie(s.connections, s.values, s.step.start, s.step.end, s.step.previous_start, s.window_from,
                    s.window_until);
  }
};
template <>
struct Fields<History::Saved> {
  static auto of(auto& s) {
    return std::tie(s.begin, s.appended, s.committed, s.times, s.values, s.derivatives, s.jumps, s.befores);
  }
};
template <>
struct Fields<Defect::Spread> {
  static auto of(auto& s) { return std::tie(s.about, s.sum, s.squares); }
};
template <>
struct Fields<Comparison::Saved> {
  static auto of(auto& s) {
    return std::tie(s.compared_for, s.pending, s.tally.count, s.tally.sum_of_squares, s.tally.maximum_square,
                    s.tally.time_of_maximum, s.tally.magnitude, s.spreads, s.place);
  }
};
/// All but the state of the subsystem. What a run records, here and of defects, is not kept inside of an FMU.
template <>
struct Fields<Participant::Saved> {
  static auto of(auto& s) {
    return std::tie(s.inputs, s.history, s.comparisons, *s.clock, s.communication_point, s.t, s.t_next, s.horizon,
                    s.steps);
  }
};

}  // namespace counterpoint::recipe

namespace counterpoint {
namespace {

using recipe::Reader;

constexpr double most_steps = 1e15;  ///< all numbers up to here have a successor

/// Compares what was read with what a network that has just begun would save: all that has a size has the same.
class StateCheck {
 public:
  StateCheck(const Network& network, double time, Reader& reader) : network_(network), time_(time), reader_(reader) {}

  void all(const Network::Saved& read, const Network::Saved& begun) {
    for (std::size_t i = 0; i < read.size(); ++i) {
      const Participant& p = network_.participants[i];
      history(read[i].history, p.history);
      needs(read[i].inputs.connections.size() == begun[i].inputs.connections.size() &&
            read[i].comparisons.size() == begun[i].comparisons.size() &&
            read[i].inputs.values.size() == begun[i].inputs.values.size());
      for (std::size_t k = 0; k < read[i].comparisons.size(); ++k) {
        const Connection& made = p.inputs->connections()[k];
        connection(read[i].inputs.connections[k], begun[i].inputs.connections[k], read[made.source].history);
        comparison(read[i].comparisons[k], begun[i].comparisons[k]);
      }
      times(read[i]);
    }
  }

 private:
  void needs(bool fits) {
    if (!fits) reader_.fail("it is not a state of this model");
  }
  void history(const History::Saved& read, const History& made) {
    const std::size_t samples = read.times.size(), width = static_cast<std::size_t>(made.width());
    needs(samples > 0 && read.appended >= samples && read.begin == read.appended - samples &&
          read.committed == read.appended);
    needs(read.values.size() == samples * width &&
          read.derivatives.size() == (made.has_derivatives() ? samples * width : 0));
    needs(read.befores.size() == read.jumps.size() * width && (made.may_jump() || read.jumps.empty()));
    needs(std::all_of(read.jumps.begin(), read.jumps.end(),
                      [&](std::size_t k) { return k >= read.begin && k < read.appended; }));
  }
  void connection(const Inputs::Saved::ConnectionState& read, const Inputs::Saved::ConnectionState& begun,
                  const History::Saved& source) {
    needs(read.end > 0 &&
          read.end <= source.appended);  // what it used last may be forgotten: it looks again before its next step
    needs(read.polynomial.width == begun.polynomial.width && read.polynomial.degree >= 0 &&
          read.polynomial.degree <= Polynomial::max_degree &&
          read.polynomial.coefficients.size() == begun.polynomial.coefficients.size());
    needs(read.last_input.empty() || read.last_input.size() == static_cast<std::size_t>(begun.polynomial.width));
  }
  void comparison(const Comparison::Saved& read, const Comparison::Saved& begun) {
    needs(read.spreads.size() == begun.spreads.size() && read.pending.size() % (1 + read.spreads.size()) == 0);
  }
  void times(const Participant::Saved& read) {
    StepClock clock = *read.clock;
    const auto [start, next, count] = recipe::Fields<StepClock>::of(clock);
    const bool listens = !clock.fixed() || next != Polynomial::infinity;  // the source of inputs is at its last sample
    needs(std::isfinite(read.t) && read.t_next >= read.t && read.horizon >= read.t_next);
    needs(!listens || read.t >= time_ - 2.0 * network_.tolerance);
    needs(!clock.fixed() || (start <= read.t && next > read.t && count >= 1.0 && count < most_steps));
    needs(!clock.fixed() || !listens || std::abs(next - (start + count * clock.step())) <= clock.tolerance());
  }

  const Network& network_;
  double time_;
  Reader& reader_;
};

}  // namespace

void write_network(const Network::Saved& saved, recipe::Writer& writer) {
  for (const Participant::Saved& participant : saved) {
    if (!participant.subsystem->write(writer)) throw std::runtime_error("a subsystem cannot write down its state");
    writer(participant);
  }
}

Network::Saved read_network(const Network& network, double time, Reader& reader) {
  Network::Saved begun, read;
  if (!network.save(begun) || !network.save(read)) throw std::runtime_error("a subsystem cannot save its state");
  for (std::size_t i = 0; i < read.size(); ++i) {
    read[i].subsystem = network.participants[i].subsystem->read_state(reader);
    if (!read[i].subsystem) reader.fail("a subsystem cannot take over a state");
    reader(read[i]);
  }
  reader.expect_end();
  StateCheck(network, time, reader).all(read, begun);
  return read;
}

}  // namespace counterpoint
