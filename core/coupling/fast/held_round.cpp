#include "coupling/fast/held_round.hpp"

#include <algorithm>
#include <utility>

#include "coupling/cancellation.hpp"
#include "coupling/fast/step_batch.hpp"
#include "coupling/floating_point.hpp"

namespace counterpoint::fast {

HeldRound::HeldRound(std::vector<Participant*> members) : participants_(std::move(members)) {
  for (Participant* p : participants_) {
    const std::vector<LineInput>& inputs = p->inputs->fast_paths().line_inputs();
    const int width = p->history.width();
    const HeldStepper::HeldStep step = p->fast.held->held_step();
    around_ = step.around;
    models_.push_back(step.model);
    members_.push_back({step.function, step.model, p->inputs->values().data(), nullptr, nullptr, width, 0,
                        static_cast<int>(inputs.size())});
    for (const LineInput& input : inputs) {
      held_inputs_.push_back({nullptr, input.history->width(), input.target, input.scales, input.gain, input.offset});
    }
    unrecorded_.resize(std::max<std::size_t>(unrecorded_.size(), 1 + width));
  }
}

bool HeldRound::serves(const std::vector<Participant*>& members) {
  const auto step_of = [](const Participant* p) {
    return p->fast.held != nullptr ? p->fast.held->held_step() : HeldStepper::HeldStep{};
  };
  return std::all_of(members.begin(), members.end(), [&](const Participant* p) {
    const std::vector<Connection>& connections = p->inputs->connections();
    // Assumed values are not stored here: they have to follow from samples.
    const bool compares = std::all_of(connections.begin(), connections.end(),
                                      [](const Connection& c) { return c.fast.compares_by_samples; });
    const HeldStepper::HeldStep step = step_of(p);
    return step.function != nullptr && step.around == step_of(members.front()).around &&
           !p->history.has_derivatives() && compares && p->inputs->fast_paths().are_held(!connections.empty());
  });
}

/// What a subsystem does and how inputs are made may change; the rest is what it was when the run began.
bool HeldRound::still_serves() const {
  return trusted_ && std::all_of(participants_.begin(), participants_.end(), [](const Participant* p) {
           return p->fast.held->held_step().function != nullptr &&
                  p->inputs->fast_paths().are_held(!p->inputs->connections().empty());
         });
}

void HeldRound::open(int count, double before) {
  for (const Participant* p : participants_) count = std::min<int>(count, static_cast<int>(p->history.room_in_a_row()));
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Participant& p = *participants_[i];
    const StepBatch::OpenSteps opened =
        i == 0 ? StepBatch::open(p, count, before) : StepBatch::open_with(p, *participants_.front(), opened_);
    members_[i].values = opened.values;
    members_[i].row = opened.rows != nullptr ? opened.rows : unrecorded_.data();
    members_[i].row_width = opened.rows != nullptr ? 1 + members_[i].width : 0;
    ends_ = opened.ends;  // the same for all
    opened_ = opened.count;
  }
}

/// The first round reads this sample (in a repeat perhaps the one after it), the next one the next: until the end of
/// the ring.
void HeldRound::read_from(std::size_t sample) {
  HeldInput* held = held_inputs_.data();
  for (const Participant* p : participants_) {
    for (const LineInput& input : p->inputs->fast_paths().line_inputs())
      (held++)->value = input.history->value(sample + input.ahead) + input.column;
  }
}

/// `stepped`: how many members have made one step more than `rounds`.
void HeldRound::close(int rounds, std::size_t stepped) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const int made = rounds + (i < stepped ? 1 : 0);
    StepBatch::close(*participants_[i], made, opened_);
    if (made > 0) participants_[i]->fast.held->stand_at(participants_[i]->t);
  }
}

inline void HeldRound::make_round(double t, double t_end) {
  HeldInput* held = held_inputs_.data();
  HeldParticipant* m = members_.data();
  const std::size_t count = members_.size();
  for (std::size_t i = 0; i < count; ++i, ++m) {
    turn_.store(i, std::memory_order_relaxed);
    double* const inputs = m->inputs;
    for (int k = m->input_count; k > 0; --k, ++held) {
      const double value = *held->value;
      held->value += held->width;
      inputs[held->target] = held->scales ? value * held->gain + held->offset : value;
    }
    m->function(m->model, t, t_end, inputs, m->values);
    const double* __restrict value = m->values;
    double* __restrict row = m->row;
    double probe = 0.0;  // stays zero as long as everything is finite
    *row++ = t_end;
    for (int k = m->width; k > 0; --k, ++value) {
      probe += *value - *value;
      *row++ = *value;
    }
    if (probe != 0.0) participants_[i]->not_finite(t_end, m->values);
    m->values += m->width;
    m->row += m->row_width;
  }
}

std::optional<ManyRounds::Call> HeldRound::call_under_way() const {
  const int round = round_.load(std::memory_order_relaxed);
  if (round < 0) return std::nullopt;
  return Call{failed(), round > 0 ? ends_[round - 1] : participants_.front()->t};
}

void HeldRound::abandon() {
  const int round = round_.exchange(-1, std::memory_order_relaxed);
  if (round >= 0) close(round, failed());
}

long HeldRound::run(long most, double before) {
  const FloatingPoint settings;
  open(static_cast<int>(most), before);
  round_.store(0, std::memory_order_relaxed);
  try {
    if (around_ != nullptr)
      around_(models_.data(), models_.size(), [](void* self) { static_cast<HeldRound*>(self)->make_rounds(); }, this);
    else
      make_rounds();
  } catch (...) {
    settings.restore();
    close(round_.exchange(-1, std::memory_order_relaxed), failed());
    throw;
  }
  const int made = round_.exchange(-1, std::memory_order_relaxed);
  if (settings.restore()) trusted_ = false;
  close(made, 0);
  return made;
}

/// Has nothing that would have to be unwound: a step may leave it without a return.
void HeldRound::make_rounds() {
  const Participant& first = *participants_.front();
  const std::size_t newest = first.history.end() - 1;
  double t = first.t;
  read_from(newest);
  for (int round = 0; round < opened_; ++round) {
    round_.store(round, std::memory_order_relaxed);
    turn_.store(0, std::memory_order_relaxed);
    Cancellation::check();
    if (round == 1) read_from(newest + 1);  // these samples may begin at the beginning of the ring
    make_round(t, ends_[round]);
    t = ends_[round];
  }
  round_.store(opened_, std::memory_order_relaxed);
}

}  // namespace counterpoint::fast
