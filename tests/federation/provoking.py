"""A program that provokes messages with numbers from many places of the core; the arguments are modules to import first.

Prints one line per message. Beside a library that brings a standard library of its own it has to print the same.
"""

import contextlib
import importlib
import io
import logging
import math
import sys
import threading

if __name__ == "__main__":  # pytest imports every file of the tests to look for examples
    for module in sys.argv[1:]:
        importlib.import_module(module)

import counterpoint as cp  # after them: the order is what is tested


class Proposing(cp.Subsystem):
    """Proposes no step."""

    outputs = ("y",)

    def next_step(self):
        return 0.0

    def step(self, t, t_end, u):
        return t_end

    def output(self, t, u):
        return [1.0]


class Short(Proposing):
    """Stops where it was not asked to."""

    def next_step(self):
        return 0.125

    def step(self, t, t_end, u):
        return t + 0.1


class Asking(Short):
    """Asks its inputs outside of its step."""

    inputs = ("u",)

    def step(self, t, t_end, u):
        u(t_end + 1.5)
        return t_end


class Wild(Short):
    """Publishes no number."""

    def step(self, t, t_end, u):
        return t_end

    def output(self, t, u):
        return [math.nan if t > 0 else 0.0]


def alone(subsystem, until=1.0, **more):
    """Run a subsystem alone."""
    system = cp.System("s")
    system.add("m", subsystem, **more)
    for name in getattr(subsystem, "inputs", ()):
        system.set(f"m.{name}", 0.0)
    system.run(until=until)


def equation(slope, **more):
    """Integrate x' = slope(t, x)."""
    step = more.pop("step", None)
    alone(cp.ode(lambda t, x, u: [slope(t, x[0])], outputs="x", **{"x0": [0.0], **more}), step=step)


def diagram(make):
    """Run a diagram."""
    d = cp.Diagram("d")
    d.output("y", make(d))
    result = d.run(until=2.0, step=0.1)
    raise RuntimeError(f"{result.message} y = {result['d.y'].values[-1]}")


def sliding(d):
    """Switch infinitely often."""
    x = d.integrator(initial=0.0105)
    x.connect(-d.sign(x))
    return x


def stopping(d):
    """End the run."""
    height = d.integrator(d.integrator(-9.81), initial=5.0)
    d.stop(height <= 0.0, message="it has landed")
    return height


def restless(d):
    """Make a machine that never rests."""
    machine = d.state_machine(outputs={"y": 0.0})
    machine.state("a").state("b").transition("a", "b", "true").transition("b", "a", "true")
    return machine["y"]


def remote():
    """Run a subsystem over a link, whose description has numbers as text."""
    with cp.serve(cp.linear([[-1.0]], [[1.0]], x0=[1.5], outputs="y", solver="ode4"), step=0.125) as serving:
        thread = threading.Thread(target=lambda: serving.session(wait=30.0))
        thread.start()
        system = cp.System("s")
        model = cp.remote(serving.address, token=serving.token, deadline=30.0)
        system.add("m", model)
        system.set("m.u", 0.25)
        result = system.run(until=1.0)
        model.close()
        thread.join()
    raise RuntimeError(f"{len(result['m.y'].time)} samples, last {result['m.y'].values[-1]}")


PROVOCATIONS = {
    "pace": lambda: alone(Proposing()),
    "participant": lambda: alone(Short()),
    "inputs outside of a step": lambda: alone(Asking()),
    "not finite": lambda: alone(Wild()),
    "link": remote,
    "derivative": lambda: equation(lambda t, x: math.nan, solver="ode45"),
    "step control": lambda: equation(lambda t, x: 1.0 + x * x, x0=[1e3], solver="ode45"),
    "Newton": lambda: equation(lambda t, x: 1e9 * math.copysign(1.0, 0.3 - x), solver="trapezoidal", step=0.5),
    "time resolution": lambda: equation(lambda t, x: 1.0, solver="ode45", max_step=1e-30, step=0.5),
    "limits": lambda: diagram(lambda d: d.integrator(1.0, limits=(2.5, 1.5))),
    "limits, initial": lambda: diagram(lambda d: d.integrator(1.0, initial=3.5, limits=(-1.5, 2.5))),
    "sample time": lambda: diagram(lambda d: d.zero_order_hold(1.0, sample_time=-0.25)),
    "partner": lambda: diagram(lambda d: d.zero_pole([], [-1 + 1j, -2.5])),
    "delay": lambda: diagram(lambda d: d.transport_delay(1.0, delay=-0.5)),
    "matrix": lambda: diagram(lambda d: d.state_space([[1.0]], [[1.0, 2.0], [3.0, 4.0]], [[1.0]], [[0.0]])),
    "block": lambda: diagram(lambda d: d.expression("1/(u - 1.5)", u=1.5)),
    "expression": lambda: diagram(lambda d: d.expression("1.5*u + 2.5e-1", u=2.0)),
    "filter": lambda: diagram(lambda d: d.pid(1.0, derivative=1.0, filter=-0.125)),
    "chattering": lambda: diagram(sliding),
    "stop": lambda: diagram(stopping),
    "machine": lambda: diagram(restless),
}


def text_of(provoke):
    """Return what is raised."""
    try:
        provoke()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    for name, provoke in PROVOCATIONS.items():
        with contextlib.redirect_stderr(io.StringIO()):
            print(f"{name}: {text_of(provoke)}".replace("\n", " | "))
