#pragma once

#include <cmath>

#include "diagram/parameters.hpp"
#include "numbers.hpp"

namespace counterpoint::diagram {

/// "sample_time" and "offset" of a sampled block. Without the first it runs when its triggered superblock does.
inline SampleTime sample_time_from(ParameterReader& p) {
  SampleTime rate;
  if (!p.has("sample_time")) return rate;
  rate.period = p.number("sample_time");
  rate.offset = p.number("offset", 0.0);
  Text text;
  if (!(rate.period > 0.0))
    text << "\"sample_time\": " << rate.period << " s; expected a period greater than 0";
  else if (!(rate.offset >= 0.0) || !std::isfinite(rate.offset)) {
    text << "\"offset\": " << rate.offset << " s; expected 0 or a time after the start";
  }
  if (!text.str().empty()) throw std::invalid_argument(text.str());
  return rate;
}

/// "method" of integrating over samples: how much of the present input counts, the rest is the one before. Forward 0,
/// backward 1, trapezoidal 1/2.
inline double weight_of_present(ParameterReader& p) {
  const std::string method = p.word("method", {"forward", "backward", "trapezoidal"}, "forward");
  return method == "forward" ? 0.0 : method == "backward" ? 1.0 : 0.5;
}

/// A block that runs at samples or triggers.
class SampledBlock : public Block {
 public:
  SampledBlock(std::vector<std::string> inputs, std::vector<std::string> outputs, const SampleTime& rate)
      : Block(std::move(inputs), std::move(outputs)), rate_(rate) {
    rate_.is_required = true;
  }
  SampleTime sample_time() const override { return rate_; }
  bool updates() const override { return true; }

 protected:
  /// s since the run before, which was at time `before`.
  double elapsed(const Context& context, double before) const {
    return rate_.period > 0.0 ? rate_.period : context.time - before;
  }

 private:
  SampleTime rate_;
};

}  // namespace counterpoint::diagram
