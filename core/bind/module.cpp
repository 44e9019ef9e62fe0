#include "bind/python_values.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of Counterpoint: signals, coupling, integrators, multibody, block diagrams, FMI, links.";
  // A model's function that refers to its module, which holds the system, which holds the function: a cycle
  // that the collector cannot see through the core and that ends with the interpreter. Not worth an alarm.
  nanobind::set_leak_warnings(false);
  counterpoint::bind::bind_failure(m);
  counterpoint::bind::bind_signal(m);
  counterpoint::bind::bind_signal_watch(m);
  counterpoint::bind::bind_pace(m);
  counterpoint::bind::bind_window(m);
  counterpoint::bind::bind_run_spec(m);
  counterpoint::bind::bind_coupling(m);
  counterpoint::bind::bind_advancing(m);
  counterpoint::bind::bind_python_subsystems(m);
  counterpoint::bind::bind_fed(m);
  counterpoint::bind::bind_ode(m);
  counterpoint::bind::bind_multibody(m);
  counterpoint::bind::bind_diagram(m);
  counterpoint::bind::bind_fmi(m);
  counterpoint::bind::bind_link(m);
  counterpoint::bind::bind_recipe(m);
}
