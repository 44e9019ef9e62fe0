#include "fmi/isolated_fmu.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "link/packing.hpp"
#include "link/server.hpp"

namespace counterpoint::fmi {

namespace {

using link::Packer;
using link::Unpacker;

constexpr double patience = 2.0;                 ///< s, for a process that was asked to end
constexpr std::size_t printed_in_message = 400;  ///< bytes
constexpr std::size_t printed_kept = 1 << 16;

/// Calls beside those of a subsystem.
enum class Call : char { numbers, texts, directional_derivative, state, memory, statistics };

int width_of(const std::vector<Port>& ports) {
  int width = 0;
  for (const Port& port : ports) width += port.width;
  return width;
}

link::Ports ports_of(const FmuSetup& setup) {
  link::Ports ports;
  ports.name = "FMU";
  if (!setup.inputs.empty()) ports.inputs = {{"u", width_of(setup.inputs), "", {}}};
  if (!setup.outputs.empty()) ports.outputs = {{"y", width_of(setup.outputs), "", {}}};
  ports.can_save = setup.can_save;
  ports.derivatives = setup.output_slopes;
  ports.stops_early = ports.jumps = may_stop_early(setup);
  ports.paces = setup.instance.kind == Kind::model_exchange;
  ports.requests = ports.begins = true;
  return ports;
}

std::string to_line(const Message& message) {
  char time[40];
  std::snprintf(time, sizeof time, "%.17g", message.time);
  return std::string(time) + '\t' + std::to_string(message.status) + '\t' + message.category + '\t' + message.text;
}

Message from_line(const std::string& line) {
  const std::size_t first = line.find('\t');
  const std::size_t second = line.find('\t', first + 1);
  const std::size_t third = line.find('\t', second + 1);
  if (third == std::string::npos) return {0.0, 0, "", printable(line)};
  return {std::strtod(line.c_str(), nullptr), std::atoi(line.c_str() + first + 1),
          printable(line.substr(second + 1, third - second - 1)), printable(line.substr(third + 1))};
}

std::string answer_variable(FmuBase& fmu, Call call, Unpacker& in) {
  Packer out;
  Port port;
  in(port);
  if (call == Call::numbers)
    out(fmu.numbers(port));
  else
    out(fmu.texts(port));
  return out.take();
}

std::string answer_call(FmuBase& fmu, const std::string& bytes) {
  Unpacker in(bytes);
  Packer out;
  Call call{};
  in(call);
  switch (call) {
    case Call::directional_derivative: {
      References unknowns, knowns;
      std::vector<double> seed;
      std::uint64_t width = 0;
      in(unknowns)(knowns)(seed)(width);
      return out(fmu.directional_derivative(unknowns, knowns, seed, width)).take();
    }
    case Call::state:
      return out(fmu.serialize()).take();
    case Call::memory:
      return out(fmu.memory()).take();
    case Call::statistics:
      return out(*fmu.statistics()).take();
    default:
      return answer_variable(fmu, call, in);
  }
}

template <class Value>
Value unpacked(const std::string& bytes) {
  Value value;
  Unpacker in(bytes);
  in(value);
  return value;
}

}  // namespace

template <class Archive>
void describe(Archive& archive, Port& port) {
  archive(port.type)(port.reference)(port.width)(port.continuous)(port.clocks);
}

template <class Archive>
void describe(Archive& archive, Assignment& assignment) {
  archive(assignment.type)(assignment.reference)(assignment.bytes)(assignment.texts);
}

template <class Archive>
void describe(Archive& archive, InstanceSettings& settings) {
  archive(settings.kind)(settings.name)(settings.token)(settings.resources)(settings.tool)(settings.visible)(
      settings.logging)(settings.categories);
  archive(settings.tolerance)(settings.event_mode)(settings.early_return)(settings.may_restore)(settings.intermediate);
}

template <class Archive>
void describe(Archive& archive, ClockSetup& clock) {
  archive(clock.reference)(clock.kind)(clock.interval)(clock.shift);
}

template <class Archive>
void describe(Archive& archive, StateVariable& state) {
  archive(state.name)(state.reference)(state.width);
}

template <class Archive>
void describe(Archive& archive, IntegrationSetup& setup) {
  SolverOptions& options = setup.options;
  archive(setup.solver)(options.relative_tolerance)(options.absolute_tolerance)(options.first_step)(options.max_step);
  archive(setup.states)(setup.indicators)(setup.completes_steps)(setup.publishes_events)(setup.outputs_use_inputs);
  archive(setup.state_variables);
}

template <class Archive>
void describe(Archive& archive, IntegrationStatistics& counts) {
  archive(counts.steps)(counts.evaluations)(counts.state_events)(counts.time_events)(counts.step_events)(
      counts.input_events);
}

template <class Archive>
void describe(Archive& archive, FmuSetup& setup) {
  archive(setup.major)(setup.instance)(setup.inputs)(setup.outputs)(setup.clocks)(setup.structure)(setup.values)(
      setup.input_style);
  archive(setup.output_slopes)(setup.can_save)(setup.redo_discarded)(setup.equal_steps)(setup.only_once);
  archive(setup.state)(setup.memory)(setup.integration);
}

template <class Archive>
void describe(Archive& archive, ChildOrder& order) {
  archive(order.library)(order.setup)(order.limits);
}

std::string ChildOrder::to_bytes() const {
  Packer out;
  out(*this);
  return out.take();
}

ChildOrder ChildOrder::from_bytes(std::string_view bytes) { return unpacked<ChildOrder>(std::string(bytes)); }

IsolatedFmu::IsolatedFmu(std::string library, FmuSetup setup, Isolation isolation)
    : order_{std::move(library), std::move(setup), isolation.limits},
      isolation_(std::move(isolation)),
      input_width_(width_of(order_.setup.inputs)),
      output_width_(width_of(order_.setup.outputs)),
      log_(std::make_shared<Log>()) {}

IsolatedFmu::~IsolatedFmu() { finish(); }

link::RemoteSubsystem& IsolatedFmu::running() const {
  if (!remote_) throw ComponentFailure("the FMU is not running");
  return *remote_;
}

void IsolatedFmu::start(double t) {
  finish();
  log_->clear();
  printed_.clear();
  link::RemoteSettings settings;
  settings.deadline = isolation_.deadline;
  settings.log = [log = log_](const std::string& line) { log->add(from_line(line)); };
  settings.explain_loss = [this](const std::string& reason) { return explain_loss(reason); };
  try {
    child_ = std::make_unique<link::ChildProcess>(isolation_.plan);
  } catch (const std::runtime_error& error) {
    throw ComponentFailure(error.what(), true);
  }
  auto frames = std::make_unique<link::FrameLink>(child_->open("the process of the FMU"));
  frames->send_text(link::Kind::call, order_.to_bytes(), link::Deadline::in(isolation_.deadline));
  remote_ = std::make_unique<link::RemoteSubsystem>(std::move(frames), std::move(settings));
  remote_->start(t);
}

std::string IsolatedFmu::explain_loss(const std::string& reason) {
  const bool was_running = child_->is_running();
  const std::string end = child_->end(0.0);
  printed_ = child_->printed(printed_kept);
  std::string text = "the process of the FMU ";
  text += was_running ? reason + "; it was killed" : end;
  if (!was_running && isolation_.limits.memory > 0.0) {
    text += "; its memory was limited to " + std::to_string(std::lround(isolation_.limits.memory / 1e6)) + " MB";
  }
  if (const std::string words = log_->last_words(); !words.empty()) text += "; the FMU said: " + words;
  if (const std::string tail = printable(child_->printed(printed_in_message)); !tail.empty())
    text += "; it printed: " + tail;
  return text;
}

void IsolatedFmu::finish() noexcept {
  if (!child_) return;
  try {
    statistics();  // the last chance to hear of them
  } catch (...) {  // it is gone: they stay as they were
  }
  try {
    remote_.reset();
    child_->end(patience);
    printed_ = child_->printed(printed_kept);
  } catch (...) {  // the run is over and its results are there
  }
  child_.reset();
}

std::vector<double> IsolatedFmu::numbers(const Port& port) {
  Packer call;
  call(Call::numbers)(port);
  return unpacked<std::vector<double>>(running().call(call.take()));
}

std::vector<std::string> IsolatedFmu::texts(const Port& port) {
  Packer call;
  call(Call::texts)(port);
  return unpacked<std::vector<std::string>>(running().call(call.take()));
}

std::vector<double> IsolatedFmu::directional_derivative(const References& unknowns, const References& knowns,
                                                        const std::vector<double>& seed, std::size_t width) {
  Packer call;
  call(Call::directional_derivative)(unknowns)(knowns)(seed)(static_cast<std::uint64_t>(width));
  return unpacked<std::vector<double>>(running().call(call.take()));
}

std::vector<std::uint8_t> IsolatedFmu::serialize() {
  return unpacked<std::vector<std::uint8_t>>(running().call(Packer()(Call::state).take()));
}

std::vector<double> IsolatedFmu::memory() {
  return unpacked<std::vector<double>>(running().call(Packer()(Call::memory).take()));
}

const IntegrationStatistics* IsolatedFmu::statistics() const {
  if (order_.setup.instance.kind == Kind::co_simulation) return nullptr;
  if (remote_) statistics_ = unpacked<IntegrationStatistics>(remote_->call(Packer()(Call::statistics).take()));
  return &statistics_;
}

std::string IsolatedFmu::printed() const { return child_ ? child_->printed(printed_kept) : printed_; }

void serve_isolated(link::FrameLink& frames) {
  const link::Deadline soon = link::Deadline::in(60.0);
  const ChildOrder order = ChildOrder::from_bytes(frames.receive(soon).bytes);
  std::unique_ptr<FmuBase> fmu;
  try {
    link::limit_child(order.limits);
    fmu = make_fmu(std::make_shared<Library>(order.library), order.setup);
  } catch (const std::exception& error) {
    return frames.send_text(link::Kind::error, std::string("died\t") + error.what(), soon);
  }
  fmu->set_listener([&frames](const Message& message) {
    frames.send_beside(link::Kind::log, to_line(message), link::Deadline::never());
  });
  link::LinkServer server(frames, *fmu, ports_of(order.setup));
  server.set_calls([&fmu](const std::string& bytes) { return answer_call(*fmu, bytes); });
  server.serve();
}

}  // namespace counterpoint::fmi
