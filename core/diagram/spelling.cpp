#include "diagram/spelling.hpp"

#include <algorithm>
#include <numeric>

namespace counterpoint::diagram {
namespace {

/// Letters to insert, delete or replace.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  if (known.empty()) return "; there are none";
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
    return distance(name, a) < distance(name, b);
  });
  if (2 * distance(name, *nearest) <= std::max(name.size(), nearest->size()))
    return "; did you mean \"" + *nearest + "\"?";
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "\"" : ", \"") + one + "\"";
  return "; known: " + list;
}

}  // namespace counterpoint::diagram
