#include "bind/python_values.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of Counterpoint: signals, coupling, integrators.";
  counterpoint::bind::bind_signal(m);
  counterpoint::bind::bind_coupling(m);
  counterpoint::bind::bind_ode(m);
}
