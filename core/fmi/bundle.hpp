#pragma once

#include <string>
#include <vector>

#include "fmi/instance.hpp"

namespace counterpoint::fmi {

/// A variable that is a signal.
struct Port {
  Type type = Type::float64;
  ValueReference reference = 0;
  int width = 1;
  bool continuous = true;  ///< its value may be taken inside a step
  std::vector<int> clocks =
      {};                ///< numbers of the clocks it belongs to: it may be used only while one of them is active
  bool negated = false;  ///< its value is that of the reference with the other sign (FMI 1)
  bool slope = true;     ///< of an output: its derivative is asked for, where derivatives are
  bool written = true;   ///< of an input: false while nothing connects or sets it, so that the FMU keeps its own value
  std::string name = {};
};

/// Ports of one type, read or written by one call.
///
/// Signals are doubles. An integer is the nearest one, and must fit its type; a boolean is true from 0.5 up. On the way
/// back integers beyond 2^53 lose digits. Strings and binary values are numbers of texts (texts.hpp).
class Bundle {
 public:
  explicit Bundle(Type type) : type_(type) {}
  /// Add a port whose values begin at `offset` among all signals.
  void add(const Port& port, int offset);

  Type type() const { return type_; }
  const References& references() const { return references_; }
  std::size_t count() const { return places_.size(); }
  const std::vector<int>& places() const { return places_; }
  /// Whether it is doubles that lie side by side among the signals.
  bool is_direct() const { return direct_; }

  void read(Instance& instance, double* signals) {
    if (direct_) return instance.get(Type::float64, references_, signals + places_.front(), places_.size());
    read_converted(instance, signals);
  }
  void write(Instance& instance, const double* signals) {
    if (direct_) return instance.set(Type::float64, references_, signals + places_.front(), places_.size());
    write_converted(instance, signals);
  }

 private:
  void read_converted(Instance& instance, double* signals);
  void write_converted(Instance& instance, const double* signals);
  bool is_text() const { return type_ == Type::string || type_ == Type::binary; }

  Type type_;
  bool direct_ = false;  ///< doubles that lie side by side among the signals
  References references_;
  std::vector<int> places_;      ///< of each scalar among the signals
  std::vector<double> signs_;    ///< of each scalar; empty: all 1
  std::vector<double> scratch_;  ///< as many bytes as values of any type need
};

using Bundles = std::vector<Bundle>;

/// Bundles for the ports of a subsystem: all, those without clocks, and of these the continuous or the other ones.
/// Inputs that are not written are in none of them.
Bundles bundle(const std::vector<Port>& ports);
Bundles bundle_without_clocks(const std::vector<Port>& ports);
Bundles bundle_if(const std::vector<Port>& ports, bool continuous);

/// Ports that belong to clocks, one by one.
struct ClockedPort {
  std::vector<int> clocks;
  Bundle values;
};
std::vector<ClockedPort> clocked_ports(const std::vector<Port>& ports);

}  // namespace counterpoint::fmi
