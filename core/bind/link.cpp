#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/interpreter_lock.hpp"
#include "bind/python_values.hpp"
#include "link/handshake.hpp"
#include "link/remote_subsystem.hpp"
#include "link/server.hpp"
#include "link/socket.hpp"

namespace counterpoint::bind {

using namespace link;

namespace {

/// A link after the handshake, until a server or a remote subsystem takes it over.
class OpenLink {
 public:
  explicit OpenLink(ChannelPointer channel) : frames_(std::make_unique<FrameLink>(std::move(channel))) {}
  const std::string& peer() const { return get().peer(); }
  FrameLink& get() const {
    if (!frames_) throw std::runtime_error("the link is in use");
    return *frames_;
  }
  std::unique_ptr<FrameLink> take() {
    get();
    return std::move(frames_);
  }

 private:
  std::unique_ptr<FrameLink> frames_;
};

/// Let Ctrl-C end a wait.
void look_for_signals() {
  HoldsInterpreter held;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void serve(OpenLink& link, SubsystemPointer model, Ports ports) {
  ports.derivatives =
      model->offers_derivatives() && !model->uses_input_slopes();  // slopes of inputs do not cross a link
  ports.stops_early = ports.jumps = model->stops_early();
  const std::unique_ptr<FrameLink> frames = link.take();
  LinkServer server(*frames, *model, ports);
  server.set_idle(look_for_signals);
  try {
    server.serve();
  } catch (...) {
    model->finish();
    throw;
  }
  model->finish();
}

/// Wait in slices, so that Ctrl-C gets through.
std::optional<PendingConnection> accept(Listener& listener, double seconds) {
  const Deadline deadline = Deadline::in(seconds);
  while (true) {
    try {
      return listener.accept(Deadline::in(0.2));
    } catch (const ChannelTimeout&) {
      look_for_signals();
      if (deadline.passed()) return std::nullopt;
    }
  }
}

void bind_ports(nb::module_& m) {
  nb::class_<LinkPort>(m, "LinkPort", "An input or output of a subsystem behind a link.")
      .def(
          "__init__",
          [](LinkPort* self, std::string name, int width, std::string unit, std::vector<double> start) {
            new (self) LinkPort{std::move(name), width, std::move(unit), std::move(start)};
          },
          nb::arg("name"), nb::arg("width"), nb::arg("unit"), nb::arg("start"))
      .def_ro("name", &LinkPort::name)
      .def_ro("width", &LinkPort::width)
      .def_ro("unit", &LinkPort::unit)
      .def_ro("start", &LinkPort::start);
  nb::class_<Ports>(m, "Ports", "Description of a subsystem behind a link.")
      .def(nb::init<>())
      .def_rw("name", &Ports::name)
      .def_rw("inputs", &Ports::inputs)
      .def_rw("outputs", &Ports::outputs)
      .def_rw("feedthrough", &Ports::feedthrough)
      .def_rw("initial_feedthrough", &Ports::initial_feedthrough)
      .def_rw("step", &Ports::step)
      .def_rw("approximation", &Ports::approximation)
      .def_rw("output_approximations", &Ports::output_approximations)
      .def_rw("input_approximations", &Ports::input_approximations)
      .def_rw("heartbeat", &Ports::heartbeat)
      .def_rw("silence", &Ports::silence)
      .def_rw("can_save", &Ports::can_save)
      .def_rw("repeats_unasked", &Ports::repeats_unasked)
      .def_rw("derivatives", &Ports::derivatives)
      .def_rw("requests", &Ports::requests)
      .def_rw("begins", &Ports::begins)
      .def_rw("paces", &Ports::paces)
      .def_rw("stops_early", &Ports::stops_early);
}

void bind_connections(nb::module_& m) {
  using Released = nb::call_guard<LeavesInterpreter>;
  nb::class_<OpenLink>(m, "OpenLink", "A link after the handshake.").def_prop_ro("peer", &OpenLink::peer);
  nb::class_<TokenCheck>(m, "TokenCheck", "Accepts connections that show the token.")
      .def(nb::init<std::string, bool>(), nb::arg("token"), nb::arg("single_use"));
  nb::class_<PendingConnection>(m, "PendingConnection", "A program that has connected, but not yet sent anything.")
      .def_ro("name", &PendingConnection::name)
      .def_prop_ro("descriptor", [](const PendingConnection& self) { return self.socket.get(); });
  nb::class_<Listener>(m, "Listener", "Waits for connections at an address.")
      .def(
          "__init__", [](Listener* self, const std::string& address) { new (self) Listener(Address::parse(address)); },
          nb::arg("address"))
      .def_prop_ro("address", [](const Listener& self) { return self.address().text(); })
      .def("accept", &accept, nb::arg("seconds"), Released(),
           "The next program that connects, or None if none connects in time.");
  m.def(
      "check_address", [](const std::string& address) { return Address::parse(address).is_local(); },
      nb::arg("address"),
      "Whether an address can be reached from this computer only; ValueError if it is not an address.");
  m.def(
      "connect",
      [](const std::string& address, const std::string& token, double seconds) {
        auto made = std::make_unique<OpenLink>(connect(Address::parse(address), Deadline::in(seconds)));
        handshake_as_client(made->get(), token);
        return made;
      },
      nb::arg("address"), nb::arg("token"), nb::arg("seconds"), Released(), "Connect and make the handshake.");
  m.def(
      "accept",
      [](PendingConnection& pending, TokenCheck& tokens) {
        auto made = std::make_unique<OpenLink>(open(std::move(pending), Deadline::in(handshake_seconds)));
        handshake_as_server(made->get(), tokens);
        return made;
      },
      nb::arg("pending"), nb::arg("tokens"), Released(),
      "Make the handshake with a connected program; raises an error if it is refused.");
  m.def("serve", &serve, nb::arg("link"), nb::arg("subsystem"), nb::arg("ports"), Released(),
        "Serve a subsystem to the master at the other end until it disconnects.");
}

}  // namespace

void bind_link(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("link", "Links: subsystems in other processes and on other hosts.");
  bind_ports(m);
  bind_connections(m);
  nb::class_<RemoteSubsystem, Subsystem>(m, "RemoteSubsystem", "A subsystem at the other end of a link.")
      .def(
          "__init__",
          [](RemoteSubsystem* self, OpenLink& link, double deadline) {
            RemoteSettings settings;
            settings.deadline = deadline;
            new (self) RemoteSubsystem(link.take(), std::move(settings));
          },
          nb::arg("link"), nb::arg("deadline"), nb::call_guard<LeavesInterpreter>())
      .def_prop_ro("ports", &RemoteSubsystem::ports)
      .def_prop_ro("peer", &RemoteSubsystem::peer)
      .def_prop_ro(
          "messages",
          [](const RemoteSubsystem& self) {
            std::vector<nb::bytes> made;
            for (const std::string& line : self.messages()) made.emplace_back(line.data(), line.size());
            return made;
          },
          "Log messages of the latest run: time, status, category and text, separated by tabs.")
      .def("close", &RemoteSubsystem::close, nb::call_guard<LeavesInterpreter>(),
           "Disconnect; nothing else may be called.")
      .def("ping", &RemoteSubsystem::ping, nb::call_guard<LeavesInterpreter>(), "A round trip that does nothing.");
}

}  // namespace counterpoint::bind
