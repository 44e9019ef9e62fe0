#include "diagram/blocks/sections.hpp"

#include <algorithm>
#include <stdexcept>

#include "numbers.hpp"

namespace counterpoint::diagram {
namespace {

using Complex = std::complex<double>;

/// Roots sorted into conjugate pairs (the upper one of each) and real ones.
struct Roots {
  std::vector<Complex> pairs;
  std::vector<double> reals;
};

Roots sorted_roots(const std::vector<Complex>& all, const char* name) {
  Roots roots;
  std::vector<Complex> lower;
  for (const Complex& root : all) {
    if (root.imag() > 0.0)
      roots.pairs.push_back(root);
    else if (root.imag() < 0.0)
      lower.push_back(root);
    else
      roots.reals.push_back(root.real());
  }
  for (const Complex& root : roots.pairs) {
    const auto partner = std::find_if(lower.begin(), lower.end(), [&](const Complex& other) {
      return std::abs(std::conj(other) - root) <= 1e-9 * std::abs(root);
    });
    if (partner == lower.end()) {
      lower.push_back(std::conj(root));
      break;
    }
    lower.erase(partner);
  }
  if (!lower.empty()) {
    Text text;
    text << "\"" << name << "\": " << lower.back().real() << (lower.back().imag() < 0.0 ? " - " : " + ")
         << std::abs(lower.back().imag()) << "j has no conjugate; complex ones must come in conjugate pairs";
    throw std::invalid_argument(text.str());
  }
  return roots;
}

/// Poles and zeros that make one section.
struct Group {
  std::vector<Complex> poles, zeros;
  bool has_room(std::size_t count) const { return zeros.size() + count <= poles.size(); }
};

/// The group with room whose first pole is nearest: poles and zeros that nearly cancel stay together, so that no
/// section has a gain that another must undo.
Group* nearest(std::vector<Group>& groups, const Complex& zero, std::size_t count) {
  Group* best = nullptr;
  for (Group& group : groups) {
    if (!group.has_room(count)) continue;
    if (!best || std::abs(group.poles[0] - zero) < std::abs(best->poles[0] - zero)) best = &group;
  }
  return best;
}

/// Join two real poles that have no zeros yet: a conjugate pair of zeros needs a section of second order.
Group* joined(std::vector<Group>& groups) {
  const auto is_free = [](const Group& group) { return group.poles.size() == 1 && group.zeros.empty(); };
  const auto first = std::find_if(groups.begin(), groups.end(), is_free);
  const auto second = std::find_if(first + 1, groups.end(), is_free);
  first->poles.push_back(second->poles[0]);
  const auto place = first - groups.begin();
  groups.erase(second);
  return &groups[place];
}

/// Highest power first.
std::vector<double> polynomial(const std::vector<Complex>& roots) {
  std::vector<Complex> made{1.0};
  for (const Complex& root : roots) {
    made.push_back(0.0);
    for (std::size_t i = made.size() - 1; i > 0; --i) made[i] -= root * made[i - 1];
  }
  std::vector<double> real;
  for (const Complex& value : made) real.push_back(value.real());
  return real;
}

}  // namespace

Section section_from(std::vector<double> numerator, std::vector<double> denominator) {
  const auto strip = [](std::vector<double>& p) {
    p.erase(p.begin(), std::find_if(p.begin(), p.end(), [](double value) { return value != 0.0; }));
  };
  strip(numerator);
  strip(denominator);
  if (denominator.empty()) throw std::invalid_argument("\"denominator\": all coefficients are zero");
  const std::size_t n = denominator.size() - 1;
  if (numerator.size() > n + 1) {
    throw std::invalid_argument("\"numerator\": degree " + std::to_string(numerator.size() - 1) + " is higher than " +
                                std::to_string(n) +
                                ", that of the denominator; add a pole that is fast enough not to matter");
  }
  numerator.insert(numerator.begin(), n + 1 - numerator.size(), 0.0);
  Section section;
  section.d = numerator[0] / denominator[0];
  for (std::size_t k = n; k > 0; --k) {
    section.a.push_back(denominator[k] / denominator[0]);
    section.c.push_back(numerator[k] / denominator[0] - section.a.back() * section.d);
  }
  return section;
}

std::vector<Section> sections_from(const std::vector<Complex>& zeros, const std::vector<Complex>& poles, double gain) {
  if (zeros.size() > poles.size()) {
    throw std::invalid_argument("\"zeros\": " + std::to_string(zeros.size()) + " of them, but only " +
                                std::to_string(poles.size()) + " poles; there must be at least as many");
  }
  const Roots pole_roots = sorted_roots(poles, "poles");
  const Roots zero_roots = sorted_roots(zeros, "zeros");
  std::vector<Group> groups;
  for (const Complex& pole : pole_roots.pairs) groups.push_back({{pole, std::conj(pole)}, {}});
  for (double pole : pole_roots.reals) groups.push_back({{pole}, {}});
  for (const Complex& zero : zero_roots.pairs) {
    Group* group = nearest(groups, zero, 2);
    if (!group) group = joined(groups);
    group->zeros = {zero, std::conj(zero)};
  }
  for (double zero : zero_roots.reals) nearest(groups, zero, 1)->zeros.push_back(zero);

  std::vector<Section> sections;
  for (const Group& group : groups) sections.push_back(section_from(polynomial(group.zeros), polynomial(group.poles)));
  if (sections.empty()) sections.push_back(section_from({1.0}, {1.0}));
  for (double& c : sections.back().c) c *= gain;
  sections.back().d *= gain;
  return sections;
}

}  // namespace counterpoint::diagram
