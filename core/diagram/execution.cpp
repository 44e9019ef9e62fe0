#include "diagram/execution.hpp"

#include <algorithm>
#include <cmath>

#include "coupling/known_events.hpp"
#include "numbers.hpp"
#include "recipe/factory.hpp"

namespace counterpoint::diagram {

struct Execution::Saved {
  std::vector<double> values, x, dx, z, counts;
  std::vector<char> open;
  std::vector<std::unique_ptr<SavedState>> blocks;
};

void Execution::start(const Context& context) {
  known_from_ = infinity;
  std::fill(open_.begin(), open_.end(), 0);
  std::fill(due_.begin(), due_.end(), 0);
  std::fill(values_.begin(), values_.end(), 0.0);
  std::fill(z_.begin(), z_.end(), 0.0);
  std::fill(x_.begin(), x_.end(), 0.0);
  sample_times_.start(context.time);
  for (const FlatBlock& entry : diagram_.blocks) {
    try {
      entry.block->start(context);
    } catch (const std::exception& error) {
      blame(entry.block.get(), context, error);
    }
  }
}

void Execution::run(const std::vector<Step>& steps, const Context& context) {
  const Block* current = nullptr;
  const bool decides = context.decides();
  try {
    for (const Step& step : steps) {
      if (step.guard >= 0 && !open_[step.guard]) {
        if (step.asks >= 0) open_[step.asks] = 0;
        continue;
      }
      if (step.code_end > step.code_begin) {
        execute(tape_.data() + step.code_begin, tape_.data() + step.code_end, decides);
        continue;
      }
      current = step.block;
      if (step.asks >= 0) [[unlikely]]
        ask(step, context);
      else
        step.block->output(context, step.port);
    }
  } catch (const RunEnd&) {
    throw;  // a diagram inside a co-simulation block ends the run: not a failure
  } catch (const std::exception& error) {
    blame(current, context, error);
  }
}

/// A gate is asked at accepted times only; between them an enabled superblock stays as it is.
void Execution::ask(const Step& step, const Context& context) {
  if (!step.block) {
    open_[step.asks] = due_[guards_[step.asks].rate];
    return;
  }
  if (!context.is_major) return;
  Gate& gate = static_cast<Gate&>(*step.block);
  const bool opens = gate.opens(context);
  if (opens && !open_[step.asks] && gate.restarts()) restart_inside(guards_[step.asks].gate, context);
  open_[step.asks] = opens;
}

/// Directly, or in a superblock inside.
bool Execution::is_inside(int block, int gate) const {
  for (int around = diagram_.blocks[block].gate; around >= 0; around = diagram_.blocks[around].gate) {
    if (around == gate_block_[gate]) return true;
  }
  return false;
}

void Execution::restart_inside(int gate, const Context& context) {
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    if (is_inside(static_cast<int>(b), gate)) diagram_.blocks[b].block->start(context);
  }
}

void Execution::slopes(const Context& context, double* dx) {
  for (const Copied& one : copied_) dx[one.state] = *one.value;
  for (const Gathered& one : gathered_) {
    if (is_open(one.guard))
      std::copy_n(one.value, one.width, dx + one.state);
    else
      std::fill_n(dx + one.state, one.width, 0.0);
  }
  if (deriving_.empty()) return;
  const Block* current = nullptr;
  try {
    for (const Run& one : deriving_) {
      current = one.block;
      if (is_open(one.guard)) one.block->derivative(context);
    }
  } catch (const std::exception& error) {
    blame(current, context, error);
  }
  for (const Derived& one : derived_) {
    if (is_open(one.guard))
      std::copy_n(dx_.data() + one.state, one.width, dx + one.state);
    else
      std::fill_n(dx + one.state, one.width, 0.0);
  }
}

bool Execution::update(const Context& context) {
  known_from_ = infinity;
  bool again = false;
  const Block* current = nullptr;
  try {
    for (std::size_t i = 0; i < updating_.size(); ++i) {
      current = updating_[i].block;
      changed_[i] = is_open(updating_[i].guard) && updating_[i].block->update(context);
      again = again || changed_[i];
    }
    for (std::size_t i = 0; i < updating_.size(); ++i) {
      current = updating_[i].block;
      if (changed_[i]) updating_[i].block->commit(context);
    }
  } catch (const std::exception& error) {
    blame(current, context, error);
  }
  return again;
}

void Execution::tell_arrival(const Context& context) {
  known_from_ = infinity;
  for (const Run& one : arriving_) {
    if (is_open(one.guard)) one.block->arrives(context);
  }
}

void Execution::tell_accepted(const Context& context) {
  known_from_ = infinity;
  const Block* current = nullptr;
  try {
    for (const Run& one : remembering_) {
      current = one.block;
      if (is_open(one.guard)) one.block->accepted(context);
    }
  } catch (const std::exception& error) {
    blame(current, context, error);
  }
}

void Execution::tell_rejected(const Context& context) {
  for (const Run& one : remembering_) one.block->rejected(context);
}

void Execution::open_samples(double t) {
  for (int r = 0; r < sample_times_.rates(); ++r) due_[r] = sample_times_.is_due(r, t);
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    if (guards_[g].rate >= 0 && guards_[g].parent < 0) open_[g] = due_[guards_[g].rate];
  }
}

void Execution::close_samples(double t) {
  sample_times_.advance(t);
  std::fill(due_.begin(), due_.end(), 0);
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    if (guards_[g].rate >= 0) open_[g] = 0;
  }
}

void Execution::find_next_event(double t) const {
  known_from_ = t;
  known_event_ = infinity;
  for (const Block* block : timed_) known_event_ = std::min(known_event_, block->next_event(t));
}

double Execution::next_known_event(double t, double step) const {
  double first = infinity;
  for (const Block* block : sources_) {
    first = std::min(first, sparse_event([block](double time) { return block->next_event(time); }, t, step));
  }
  return first;
}

void Execution::crossing(const Context& context, double* g) {
  for (const Run& one : crossing_) {
    if (is_open(one.guard))
      one.block->crossing(context, g);
    else
      std::fill_n(g, one.block->crossings(), 0.0);
    g += one.block->crossings();
  }
}

const std::string& Execution::crossing_name(int i) const { return diagram_.blocks[crossing_block_[i]].name; }

int Execution::index_of(const Block* block) const {
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    if (diagram_.blocks[b].block.get() == block) return static_cast<int>(b);
  }
  return -1;
}

void Execution::blame(const Block* block, const Context& context, const std::exception& error) const {
  const int b = index_of(block);
  Text text(9);
  if (b >= 0) text << "block \"" << diagram_.blocks[b].name << "\" at t = " << context.time << " s: ";
  text << error.what();
  throw BlockFailure(text.str(), b, std::current_exception());
}

void Execution::check_finite(const Context& context) const {
  bool finite = true;
  for (double value : x_) finite = finite && std::isfinite(value);
  for (const double* value : outlets_) finite = finite && std::isfinite(*value);
  if (finite) return;
  blame_not_finite(context);
  Text text(9);
  text << "a value is not finite at t = " << context.time << " s";
  throw BlockFailure(text.str(), -1, nullptr);
}

/// The first block in the order of execution whose output is not finite is where it came up.
void Execution::blame_not_finite(const Context& context) const {
  Text text(9);
  for (const Step& step : major_) {
    const int b = step.block ? index_of(step.block) : -1;
    if (b < 0) continue;
    const FlatBlock& entry = diagram_.blocks[b];
    for (int j = 0; j < entry.block->outputs(); ++j) {
      const double* value = port_values_[b][j];
      const double* end = value + shapes_[b].outputs[j];
      const double* bad = std::find_if(value, end, [](double y) { return !std::isfinite(y); });
      if (bad == end) continue;
      text << "block \"" << entry.name << "\": output \"" << entry.block->output_names()[j] << "\" is " << *bad
           << " at t = " << context.time << " s";
      throw BlockFailure(text.str(), b, nullptr);
    }
  }
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    const double* x = x_.data() + state_offset_[b];
    for (int i = 0; i < diagram_.blocks[b].block->states(); ++i) {
      if (std::isfinite(x[i])) continue;
      text << "block \"" << diagram_.blocks[b].name << "\": state " << i << " is " << x[i] << " at t = " << context.time
           << " s; the step may be too large for this solver";
      throw BlockFailure(text.str(), static_cast<int>(b), nullptr);
    }
  }
}

bool Execution::has_run_end() const {
  for (int b : ending_) {
    if (!diagram_.blocks[b].block->run_end()->empty()) return true;
  }
  return false;
}

void Execution::check_end(double t) const {
  for (int b : ending_) {
    const std::string& reason = *diagram_.blocks[b].block->run_end();
    if (reason.empty()) continue;
    Text text(9);
    text << "block \"" << diagram_.blocks[b].name << "\" ended the run at t = " << t << " s: " << reason;
    throw RunEnd(text.str(), t);
  }
}

std::vector<std::string> Execution::state_names() const {
  std::vector<std::string> names;
  for (const FlatBlock& entry : diagram_.blocks) {
    const int count = entry.block->states();
    for (int i = 0; i < count; ++i)
      names.push_back(count == 1 ? entry.name : entry.name + "[" + std::to_string(i) + "]");
  }
  return names;
}

std::shared_ptr<const Execution::Saved> Execution::save() const {
  for (const FlatBlock& entry : diagram_.blocks) {
    if (!entry.block->can_save()) return nullptr;
  }
  auto saved = std::make_shared<Saved>();
  saved->values = values_;
  saved->x = x_;
  saved->dx = dx_;
  saved->z = z_;
  saved->open = open_;
  saved->counts = sample_times_.counts();
  for (const FlatBlock& entry : diagram_.blocks) saved->blocks.push_back(entry.block->save());
  return saved;
}

void Execution::restore(const Saved& saved) {
  known_from_ = infinity;
  // Blocks hold pointers into these arrays: their contents are copied, they are never replaced.
  std::copy(saved.values.begin(), saved.values.end(), values_.begin());
  std::copy(saved.x.begin(), saved.x.end(), x_.begin());
  std::copy(saved.dx.begin(), saved.dx.end(), dx_.begin());
  std::copy(saved.z.begin(), saved.z.end(), z_.begin());
  std::copy(saved.open.begin(), saved.open.end(), open_.begin());
  sample_times_.set_counts(saved.counts);
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    if (saved.blocks[b]) diagram_.blocks[b].block->restore(*saved.blocks[b]);
  }
}

bool Execution::write(const Saved& saved, recipe::Writer& writer) {
  writer(saved.values, saved.x, saved.dx, saved.z, saved.counts, saved.open);
  return std::all_of(saved.blocks.begin(), saved.blocks.end(),
                     [&](const auto& block) { return !block || block->write(writer); });
}

std::shared_ptr<const Execution::Saved> Execution::read_state(recipe::Reader& reader) const {
  auto saved = std::make_shared<Saved>(Saved{values_, x_, dx_, z_, sample_times_.counts(), open_, {}});
  reader.same_sizes(saved->values, saved->x, saved->dx, saved->z, saved->counts, saved->open);
  for (const FlatBlock& entry : diagram_.blocks) {
    saved->blocks.push_back(entry.block->save() ? entry.block->read_state(reader) : nullptr);
  }
  return saved;
}

}  // namespace counterpoint::diagram
