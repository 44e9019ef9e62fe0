#include "fmi/bundle.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "check.hpp"
#include "coupling/inputs.hpp"
#include "fmi/texts.hpp"

namespace counterpoint::fmi {

namespace {

/// Call `work` with a value of the C++ type that belongs to a type.
template <class Work>
void with_type(Type type, Work&& work) {
  switch (type) {
    case Type::float64:
      return work(double{});
    case Type::float32:
      return work(float{});
    case Type::int8:
      return work(std::int8_t{});
    case Type::uint8:
      return work(std::uint8_t{});
    case Type::int16:
      return work(std::int16_t{});
    case Type::uint16:
      return work(std::uint16_t{});
    case Type::int32:
      return work(std::int32_t{});
    case Type::uint32:
      return work(std::uint32_t{});
    case Type::int64:
      return work(std::int64_t{});
    case Type::uint64:
      return work(std::uint64_t{});
    case Type::boolean:
      return work(bool{});
    default:
      internal_error("texts cannot be signals");
  }
}

template <class Value>
Value converted(double signal, int place) {
  if constexpr (std::is_same_v<Value, bool>) {
    return signal >= 0.5;
  } else if constexpr (std::is_floating_point_v<Value>) {
    return static_cast<Value>(signal);
  } else {
    const double nearest = std::nearbyint(signal);
    // 2^digits is exact as a double, the largest value of 64 bits is not
    const double end = std::ldexp(1.0, std::numeric_limits<Value>::digits);
    const double begin = std::is_signed_v<Value> ? -end : 0.0;
    if (!(nearest >= begin && nearest < end)) {
      SignalFailure failure(std::to_string(signal) + ", which does not fit the integer type of the FMU's variable");
      failure.input = place;
      throw failure;
    }
    return static_cast<Value>(nearest);
  }
}

Bundles bundle_chosen(const std::vector<Port>& ports, bool (*chosen)(const Port&)) {
  Bundles made;
  int offset = 0;
  for (const Port& port : ports) {
    if (port.written && chosen(port)) {
      auto same = made.begin();
      while (same != made.end() && same->type() != port.type) ++same;
      if (same == made.end()) same = made.insert(made.end(), Bundle(port.type));
      same->add(port, offset);
    }
    offset += port.width;
  }
  return made;
}

}  // namespace

void Bundle::add(const Port& port, int offset) {
  direct_ = type_ == Type::float64 && !port.negated && (places_.empty() || (direct_ && places_.back() + 1 == offset));
  if (port.negated && signs_.empty()) signs_.assign(places_.size(), 1.0);
  if (port.negated || !signs_.empty()) signs_.insert(signs_.end(), port.width, port.negated ? -1.0 : 1.0);
  references_.push_back(port.reference);
  for (int k = 0; k < port.width; ++k) places_.push_back(offset + k);
  scratch_.resize(places_.size());
}

void Bundle::read_converted(Instance& instance, double* signals) {
  if (is_text()) {
    const std::vector<std::string> texts = instance.get_texts(type_, references_, places_.size());
    for (std::size_t k = 0; k < places_.size(); ++k) signals[places_[k]] = Texts::number_of(texts[k]);
    return;
  }
  with_type(type_, [&](auto kind) {
    using Value = decltype(kind);
    Value* values = reinterpret_cast<Value*>(scratch_.data());
    instance.get(type_, references_, values, places_.size());
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const double value = static_cast<double>(values[k]);
      signals[places_[k]] = signs_.empty() ? value : signs_[k] * value;
    }
  });
}

void Bundle::write_converted(Instance& instance, const double* signals) {
  if (is_text()) {
    std::vector<std::string> texts;
    for (int place : places_) texts.push_back(Texts::text_of(signals[place]));
    return instance.set_texts(type_, references_, texts);
  }
  with_type(type_, [&](auto kind) {
    using Value = decltype(kind);
    Value* values = reinterpret_cast<Value*>(scratch_.data());
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const double signal = signals[places_[k]];
      values[k] = converted<Value>(signs_.empty() ? signal : signs_[k] * signal, places_[k]);
    }
    instance.set(type_, references_, values, places_.size());
  });
}

Bundles bundle(const std::vector<Port>& ports) {
  return bundle_chosen(ports, [](const Port&) { return true; });
}

Bundles bundle_if(const std::vector<Port>& ports, bool continuous) {
  if (continuous) return bundle_chosen(ports, [](const Port& port) { return port.continuous; });
  return bundle_chosen(ports, [](const Port& port) { return !port.continuous && port.clocks.empty(); });
}

Bundles bundle_without_clocks(const std::vector<Port>& ports) {
  return bundle_chosen(ports, [](const Port& port) { return port.clocks.empty(); });
}

std::vector<ClockedPort> clocked_ports(const std::vector<Port>& ports) {
  std::vector<ClockedPort> made;
  int offset = 0;
  for (const Port& port : ports) {
    if (port.written && !port.clocks.empty()) {
      made.push_back({port.clocks, Bundle(port.type)});
      made.back().values.add(port, offset);
    }
    offset += port.width;
  }
  return made;
}

}  // namespace counterpoint::fmi
