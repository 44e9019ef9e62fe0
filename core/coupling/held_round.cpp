#include "coupling/held_round.hpp"

#include <algorithm>
#include <utility>

#include "coupling/floating_point.hpp"

namespace counterpoint {

HeldRound::HeldRound(std::vector<Participant*> members) : participants_(std::move(members)) {
  for (Participant* p : participants_) {
    const std::size_t wires = p->inputs->wires().size();
    const int width = p->history.width();
    const int row_width = p->records() ? 1 + width : 0;
    members_.push_back({p->subsystem->held_stepper(), p->inputs->held_values(), nullptr, nullptr, width, row_width,
                        static_cast<int>(wires)});
    for (const Wire& wire : p->inputs->wires()) {
      leads_.push_back({nullptr, wire.history->width(), wire.target, wire.scales, wire.gain, wire.offset});
    }
    unrecorded_.resize(std::max<std::size_t>(unrecorded_.size(), 1 + width));
  }
}

bool HeldRound::serves(const std::vector<Participant*>& members) {
  return std::all_of(members.begin(), members.end(), [](const Participant* p) {
    return p->subsystem->held_stepper() != nullptr && p->inputs->are_held() && !p->history.has_derivatives();
  });
}

void HeldRound::open(int count, double before) {
  for (const Participant* p : participants_) count = std::min<int>(count, static_cast<int>(p->history.room_in_a_row()));
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Participant& p = *participants_[i];
    const Participant::Stretch stretch =
        i == 0 ? p.open_stretch(count, before) : p.open_stretch_with(*participants_.front(), opened_);
    members_[i].values = stretch.values;
    members_[i].row = stretch.rows != nullptr ? stretch.rows : unrecorded_.data();
    ends_ = stretch.ends;  // the same for all
    opened_ = stretch.count;
  }
}

/// The first round reads this sample, the next one the next: until the end of the ring.
void HeldRound::lead_from(std::size_t sample) {
  Lead* lead = leads_.data();
  for (const Participant* p : participants_) {
    for (const Wire& wire : p->inputs->wires()) (lead++)->value = wire.history->value(sample) + wire.column;
  }
}

/// `stepped`: how many members have made one step more than `rounds`.
void HeldRound::close(int rounds, std::size_t stepped) {
  for (std::size_t i = 0; i < members_.size(); ++i)
    participants_[i]->close_stretch(rounds + (i < stepped ? 1 : 0), opened_);
}

inline void HeldRound::make_round(double t, double t_end) {
  Lead* lead = leads_.data();
  Member* m = members_.data();
  const std::size_t count = members_.size();
  for (std::size_t i = 0; i < count; ++i, ++m) {
    failed_ = i;  // as long as nothing else is said
    double* const inputs = m->inputs;
    for (int k = m->wires; k > 0; --k, ++lead) {
      const double value = *lead->value;
      lead->value += lead->width;
      inputs[lead->target] = lead->scales ? value * lead->gain + lead->offset : value;
    }
    m->model->step_held(t, t_end, inputs, m->values);
    const double* __restrict value = m->values;
    double* __restrict row = m->row;
    double probe = 0.0;  // stays zero as long as everything is finite
    *row++ = t_end;
    for (int k = m->width; k > 0; --k, ++value) {
      probe += *value - *value;
      *row++ = *value;
    }
    if (probe != 0.0) participants_[i]->not_finite(m->values);
    m->values += m->width;
    m->row += m->row_width;
  }
}

long HeldRound::run(long most, double before) {
  const Participant& first = *participants_.front();
  const std::size_t newest = first.history.end() - 1;
  const FloatingPoint settings;
  double t = first.t;
  open(static_cast<int>(most), before);
  lead_from(newest);
  int round = 0;
  try {
    for (; round < opened_; ++round) {
      if (round == 1) lead_from(newest + 1);  // the stretch may begin at the beginning of the ring
      make_round(t, ends_[round]);
      t = ends_[round];
    }
  } catch (...) {
    settings.restore();
    close(round, failed());
    throw;
  }
  if (settings.restore()) trusted_ = false;
  close(round, 0);
  return round;
}

}  // namespace counterpoint
