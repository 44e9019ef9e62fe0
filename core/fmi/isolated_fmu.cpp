#include "fmi/isolated_fmu.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "check.hpp"
#include "fmi/recipes.hpp"
#include "fmi/texts.hpp"
#include "link/server.hpp"
#include "numbers.hpp"

namespace counterpoint::recipe {

template <>
inline constexpr int count_of<fmi::IsolatedFmu::Call> = 7;
template <>
struct Fields<link::ChildLimits> {
  static auto of(auto& l) { return std::tie(l.memory, l.processor_time, l.processes); }
};
template <>
struct Fields<fmi::PythonLibrary> {
  static auto of(auto& p) { return std::tie(p.library, p.home, p.path); }
};
/// A recipe does not say where the resources of the FMU are on this computer, nor when the run ends.
template <>
struct Fields<fmi::ChildOrder> {
  static auto of(auto& o) {
    return std::tie(o.library, o.setup, o.setup.instance.resources, o.setup.instance.stop_time, o.limits, o.texts,
                    o.python);
  }
};
template <>
struct Fields<fmi::IntegrationStatistics> {
  static auto of(auto& s) {
    return std::tie(s.steps, s.evaluations, s.state_events, s.time_events, s.step_events, s.input_events);
  }
};

}  // namespace counterpoint::recipe

namespace counterpoint::fmi {

namespace {

using Call = IsolatedFmu::Call;

constexpr double end_timeout = 2.0;              ///< s, for a process that was asked to end
constexpr std::size_t printed_in_message = 400;  ///< bytes
constexpr std::size_t printed_kept = 1 << 16;

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
  return number_text(message.time, 17) + '\t' + std::to_string(message.status) + '\t' + message.category + '\t' +
         message.text;
}

Message from_line(const std::string& line) {
  const std::size_t first = line.find('\t');
  const std::size_t second = line.find('\t', first + 1);
  const std::size_t third = line.find('\t', second + 1);
  if (third == std::string::npos) return {0.0, 0, "", printable(line)};
  return {number_from(std::string_view(line).substr(0, first)).value_or(0.0), std::atoi(line.c_str() + first + 1),
          printable(line.substr(second + 1, third - second - 1)), printable(line.substr(third + 1))};
}

template <class... Value>
std::string to_bytes(const Value&... values) {
  recipe::Writer writer;
  writer(values...);
  return writer.bytes();
}

template <class Value>
Value from_bytes(std::string_view bytes, const char* what) {
  Value value{};
  recipe::Reader reader(bytes, what);
  reader(value);
  reader.expect_end();
  return value;
}

std::string answer_call(FmuBase& fmu, std::string_view bytes) {
  recipe::Reader in(bytes, "call");
  Call call{};
  Port port;
  in(call);
  switch (call) {
    case Call::numbers:
      in(port);
      return to_bytes(fmu.numbers(port));
    case Call::texts:
      in(port);
      return to_bytes(fmu.texts(port));
    case Call::directional_derivative: {
      References unknowns, knowns;
      std::vector<double> seed;
      std::size_t width = 0;
      in(unknowns, knowns, seed, width);
      return to_bytes(fmu.directional_derivative(unknowns, knowns, seed, width));
    }
    case Call::state:
      return to_bytes(fmu.serialize());
    case Call::memory:
      return to_bytes(fmu.memory());
    case Call::statistics:
      return to_bytes(*fmu.statistics());
    case Call::write_input: {
      int offset = 0;
      in(offset);
      fmu.write_input(offset);
      return {};
    }
  }
  internal_error("a call without an answer");
}

}  // namespace

std::string ChildOrder::to_bytes() const { return fmi::to_bytes(*this); }

ChildOrder ChildOrder::from_bytes(std::string_view bytes) { return fmi::from_bytes<ChildOrder>(bytes, "order"); }

IsolatedFmu::IsolatedFmu(std::string library, FmuSetup setup, Isolation isolation)
    : order_{std::move(library), std::move(setup), isolation.limits, isolation.texts, isolation.python},
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
  frames->send_text(link::FrameKind::call, order_.to_bytes(), link::Deadline::in(isolation_.deadline));
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
    child_->end(end_timeout);
    printed_ = child_->printed(printed_kept);
  } catch (...) {  // the run is over and its results are there
  }
  child_.reset();
}

template <class Value, class... Argument>
Value IsolatedFmu::call(Call call, const Argument&... arguments) const {
  return fmi::from_bytes<Value>(running().call(fmi::to_bytes(call, arguments...)), "answer of the FMU's process");
}

std::vector<double> IsolatedFmu::numbers(const Port& port) { return call<std::vector<double>>(Call::numbers, port); }

std::vector<std::string> IsolatedFmu::texts(const Port& port) {
  return call<std::vector<std::string>>(Call::texts, port);
}

std::vector<double> IsolatedFmu::directional_derivative(const References& unknowns, const References& knowns,
                                                        const std::vector<double>& seed, std::size_t width) {
  return call<std::vector<double>>(Call::directional_derivative, unknowns, knowns, seed, width);
}

std::vector<std::uint8_t> IsolatedFmu::serialize() { return call<std::vector<std::uint8_t>>(Call::state); }

std::vector<double> IsolatedFmu::memory() { return call<std::vector<double>>(Call::memory); }

void IsolatedFmu::write_input(int offset) {
  if (mark_written(order_.setup.inputs, offset) && remote_) remote_->call(fmi::to_bytes(Call::write_input, offset));
}

const IntegrationStatistics* IsolatedFmu::statistics() const {
  if (order_.setup.instance.kind == Kind::co_simulation) return nullptr;
  if (remote_) statistics_ = call<IntegrationStatistics>(Call::statistics);
  return &statistics_;
}

std::string IsolatedFmu::printed() const { return child_ ? child_->printed(printed_kept) : printed_; }

namespace {

/// The library of the FMU, with Python in this process if it needs that.
LibraryPointer load_library(const ChildOrder& order) {
  try {
    return std::make_shared<Library>(order.library);
  } catch (const PythonMissing& error) {
    if (order.python.library.empty())
      throw std::runtime_error(std::string(error.what()) +
                               ", and this Python has no shared library (libpython): run it without isolate");
    load_python(order.python);
    return std::make_shared<Library>(order.library);
  }
}

}  // namespace

void serve_isolated(link::FrameLink& frames) {
  const link::Deadline soon = link::Deadline::in(60.0);
  const ChildOrder order = ChildOrder::from_bytes(frames.receive(soon).bytes);
  std::unique_ptr<FmuBase> fmu;
  try {
    link::limit_child(order.limits);
    if (!order.texts.empty()) Texts::share(order.texts);
    ForeignSignals::only_report();
    fmu = make_fmu(load_library(order), order.setup);
  } catch (const std::exception& error) {
    return frames.send_text(link::FrameKind::error,
                            std::string(link::word_of(Failure::Kind::death)) + "\t" + error.what(), soon);
  }
  fmu->set_listener([&frames](const Message& message) {
    frames.send_beside(link::FrameKind::log, to_line(message), link::Deadline::never());
  });
  link::LinkServer server(frames, *fmu, ports_of(order.setup));
  server.set_calls([&fmu](const std::string& bytes) { return answer_call(*fmu, bytes); });
  server.serve();
}

}  // namespace counterpoint::fmi
