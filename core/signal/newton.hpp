#pragma once

#include "signal/approximation.hpp"

namespace counterpoint {

/// The polynomial of degree (points - 1) through samples newest, newest - 1, ... by divided differences.
void newton_through(const Samples& samples, std::size_t newest, int points, Polynomial& out);

/// The stretch of time in which `ahead` stays the sample ahead of t.
void cover_while_ahead(const Samples& samples, std::size_t ahead, Polynomial& out);

/// min(wanted, samples from begin up to and including newest)
int available(const Samples& samples, std::size_t newest, int wanted);

/// Throw std::invalid_argument unless 0 <= order <= 4.
void check_order(int order, const char* approximation);

}  // namespace counterpoint
