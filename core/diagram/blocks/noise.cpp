// Band-limited white noise: a new random number at every sample, held in between. Numbers come from a counter, not from
// a chain, so that the k-th sample is the same whatever was computed before, and only from operations that are
// exact by the standard for floating point (no library logarithm), so that it is the same on every machine.

#include <cmath>
#include <cstdint>

#include "diagram/blocks/source_block.hpp"

namespace counterpoint::diagram {
namespace {

/// A well mixed 64-bit number: the finaliser of splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t n) {
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9ULL;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebULL;
  return n ^ (n >> 31);
}

/// Between -1 and 1, on a grid of 2^-52.
double symmetric(std::uint64_t bits) {
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits >> 11) - (std::int64_t{1} << 52)), -52);
}

/// Natural logarithm from multiplications and divisions: ln m = 2 artanh((m - 1) / (m + 1)), |m - 1| small.
double logarithm(double value) {
  int exponent = 0;
  double m = std::frexp(value, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2.0;
    --exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double series = 0.0;
  for (int n = 23; n >= 1; n -= 2) series = series * s2 + 1.0 / n;
  return 2.0 * s * series + exponent * 0.69314718055994531;
}

/// Normal with mean 0 and variance 1, by the polar method of Marsaglia; `key` says which number is meant.
double normal(std::uint64_t key) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    const std::uint64_t base = mixed(key + 0x9e3779b97f4a7c15ULL * (attempt + 1));
    const double a = symmetric(mixed(base + 0x9e3779b97f4a7c15ULL));
    const double b = symmetric(mixed(base + 2 * 0x9e3779b97f4a7c15ULL));
    const double s = a * a + b * b;
    if (s > 0.0 && s < 1.0) return a * std::sqrt(-2.0 * logarithm(s) / s);
  }
}

/// z: samples taken so far.
class Noise final : public SourceBlock {
 public:
  Noise(double deviation, double mean, SampleTime rate, double seed, int width)
      : SourceBlock(width),
        deviation_(deviation),
        mean_(mean),
        rate_(rate),
        seed_(mixed(static_cast<std::uint64_t>(seed) + 1)) {}
  SampleTime sample_time() const override { return rate_; }
  int memory() const override { return 1; }
  bool updates() const override { return true; }
  void start(const Context&) override { *z() = 0.0; }
  void output(const Context&, int) override {
    for (int k = 0; k < width_; ++k) {
      const std::uint64_t key = mixed(seed_ + static_cast<std::uint64_t>(k)) + static_cast<std::uint64_t>(*z());
      out(0)[k] = mean_ + deviation_ * normal(mixed(key));
    }
  }
  bool update(const Context&) override {
    *z() += 1.0;
    return false;
  }

 private:
  double deviation_, mean_;
  SampleTime rate_;
  std::uint64_t seed_;
};

BlockPointer make_noise(ParameterReader& p) {
  const double power = p.finite("power", 0.0);
  const double sample = p.number("sample_time");
  const double seed = p.finite("seed", 0.0);
  const int width = p.integer("width", 1);
  if (!(power >= 0.0)) throw std::invalid_argument("\"power\": " + shown(power) + "; expected 0 or more");
  if (!(sample > 0.0))
    throw std::invalid_argument("\"sample_time\": " + shown(sample) + " s; expected a positive number");
  if (!(seed >= 0.0 && seed < 9e15) || seed != std::floor(seed)) {
    throw std::invalid_argument("\"seed\": " + shown(seed) + "; expected an integer of at least 0");
  }
  if (width < 1) throw std::invalid_argument("\"width\": " + std::to_string(width) + "; expected 1 or more");
  return std::make_shared<Noise>(std::sqrt(power / sample), p.finite("mean", 0.0), SampleTime{sample, 0.0}, seed,
                                 width);
}

}  // namespace

void add_noise(Registry& registry) { registry.add("noise", make_noise); }

}  // namespace counterpoint::diagram
