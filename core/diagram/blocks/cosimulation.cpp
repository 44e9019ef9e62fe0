#include "diagram/blocks/cosimulation.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "diagram/execution.hpp"
#include "numbers.hpp"

namespace counterpoint::diagram {
namespace {

constexpr double least_spacings = 4.0;  ///< of times, in a step: as for runs

std::vector<std::string> names_of(const std::vector<CosimulationPort>& ports) {
  std::vector<std::string> names;
  for (const CosimulationPort& port : ports) names.push_back(port.name);
  return names;
}

std::vector<std::string> inputs_of(const CosimulationSpec& spec) {
  std::vector<std::string> names = names_of(spec.gives);
  if (spec.timed) names.push_back("time");
  return names;
}

}  // namespace

CosimulationBlock::CosimulationBlock(CosimulationSpec spec)
    : Block(inputs_of(spec), names_of(spec.gets)), spec_(std::move(spec)), tolerance_(spec_.run.tolerance) {
  int width = 0;
  for (const CosimulationPort& port : spec_.gives) width += port.width;
  y_.resize(width);
}

void CosimulationBlock::shape(Shape& shape) const {
  for (int j = 0; j < outputs(); ++j) shape.outputs[j] = spec_.gets[j].width;
  for (int i = 0; i < inputs(); ++i) {
    if (is_time(i)) {
      if (shape.inputs[i] > 1) throw ShapeError("the time is one number", i);
    } else if (shape.inputs[i] > 1 && shape.inputs[i] != spec_.gives[i].width) {
      throw ShapeError(
          "the host's output \"" + spec_.gives[i].name + "\" has width " + std::to_string(spec_.gives[i].width), i);
    }
  }
}

double CosimulationBlock::time_at(const Context& context) const {
  return spec_.timed ? *in(static_cast<int>(spec_.gives.size())) : context.time;
}

std::string CosimulationBlock::loop_remedy() const {
  return spec_.direct ? "read its outputs before its inputs are stored (direct = False)" : "";
}

void CosimulationBlock::start(const Context& context) {
  spec_.run.start = context.time;
  spec_.run.tolerance = tolerance_at(context.time);
  interface_ = std::make_unique<EmbeddedInterface>(spec_.run, spec_.host);
  named([&] { interface_->start(); });
}

/// Times closer than this are one: at least what they are rounded to, but less than any step of the others.
double CosimulationBlock::tolerance_at(double t) const {
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * std::abs(t);
  double shortest = infinity;
  for (std::size_t k = 0; k < spec_.run.participants.size(); ++k) {
    const double step = spec_.run.participants[k].step;
    if (step <= 0.0) continue;
    check_step(spec_.names[k], step, t);
    shortest = std::min(shortest, step);
  }
  return std::max(tolerance_, std::min(rounding, 0.25 * shortest));
}

void CosimulationBlock::check_step(const std::string& name, double step, double t) const {
  const double spacing = std::nextafter(std::abs(t), infinity) - std::abs(t);
  if (step >= least_spacings * spacing) return;
  Text text;
  text << "subsystem \"" << name << "\": its step of " << step << " s is too small at t = ";
  text.precision(17);
  text << t << " s, where times are ";
  text.precision(3);
  text << spacing << " s apart; use steps of at least " << least_spacings * spacing << " s, or times nearer to 0";
  throw UserError(text.str());
}

void CosimulationBlock::output(const Context& context, int) {
  using Reach = EmbeddedInterface::Reach;
  const double t = time_at(context);
  named([&] {
    if (context.is_major && spec_.direct)
      store(t);
    else if (context.is_major)
      interface_->begin_at(t);
    const bool is_tentative = context.is_tentative && !context.is_major;
    const double* u = interface_->inputs(t, is_tentative ? Reach::restorably : Reach::freely);
    for (int j = 0; j < outputs(); ++j) {
      std::copy_n(u, spec_.gets[j].width, out(j));
      u += spec_.gets[j].width;
    }
  });
}

bool CosimulationBlock::update(const Context& context) {
  if (!spec_.direct) named([&] { store(time_at(context)); });
  return false;
}

void CosimulationBlock::store(double t) {
  double* y = y_.data();
  for (int i = 0; !is_time(i); ++i) {
    if (in_width(i) == spec_.gives[i].width)
      std::copy_n(in(i), spec_.gives[i].width, y);
    else
      std::fill_n(y, spec_.gives[i].width, *in(i));
    y += spec_.gives[i].width;
  }
  interface_->store(t, y_.data());
}

void CosimulationBlock::rejected(const Context&) { interface_->give_up(); }

std::unique_ptr<SavedState> CosimulationBlock::save() const { return interface_ ? interface_->save() : nullptr; }

void CosimulationBlock::restore(const SavedState& state) { interface_->restore(state); }

template <class Work>
void CosimulationBlock::named(Work&& work) {
  try {
    work();
  } catch (const RunEnd&) {
    throw;  // not a failure
  } catch (const InternalError&) {
    throw;  // not one of the others
  } catch (const std::exception& error) {
    fail(error);
  }
}

/// Say which of the others failed and in which step.
void CosimulationBlock::fail(const std::exception& error) const {
  const Failure& failure = interface_->network().failure;
  if (failure.participant < 0) throw SolverFailure(error.what());
  const bool of_output = failure.kind == Failure::Kind::not_finite;
  const std::string port = of_output ? spec_.signals[failure.participant][failure.port] : "";
  if (failure.participant == spec_.host) {
    throw SolverFailure("what it gives to the others: " + failure.explanation(port));
  }
  throw SolverFailure(failure.sentence("subsystem \"" + spec_.names[failure.participant] + "\"", port));
}

}  // namespace counterpoint::diagram
