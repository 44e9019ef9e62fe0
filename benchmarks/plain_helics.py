"""A plain program for HELICS, as its examples are: publishes a double at each step and holds what it reads.

python plain_helics.py CORE PORT STEP COUNT NUMBER FILE
"""

import sys
import time

import helics as h
import numpy as np

core, port, step, count, number, file = (
    sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), sys.argv[6],
)  # fmt: skip
stiffness, pull = (39.0, 15.0)[number], 5.0
w = stiffness**0.5
c, s = np.cos(w * step), np.sin(w * step)
# Exact for an input that is held over the step.
A = np.array([[c, s / w], [-w * s, c]])
B = np.array([(1.0 - c) / stiffness, s / w]) * pull

info = h.helicsCreateFederateInfo()
h.helicsFederateInfoSetCoreTypeFromString(info, core)
options = f"--federates=1 --broker_address=127.0.0.1 --brokerport={port} --timeout=20s --tick=1s --loglevel=no_print"
h.helicsFederateInfoSetCoreInitString(info, options)
h.helicsFederateInfoSetFlagOption(info, h.HELICS_FLAG_UNINTERRUPTIBLE, True)
federate = h.helicsCreateValueFederate(f"plain{number}", info)
publication = h.helicsFederateRegisterGlobalPublication(federate, f"x{number}", h.HELICS_DATA_TYPE_DOUBLE, "")
subscription = h.helicsFederateRegisterSubscription(federate, f"x{1 - number}", "")
x = np.array([1.0 - number, 0.0])
h.helicsInputSetDefaultDouble(subscription, float(number))
h.helicsFederateEnterInitializingMode(federate)
h.helicsPublicationPublishDouble(publication, x[0])
h.helicsFederateEnterExecutingMode(federate)
times, values = [0.0], [x[0]]
begun = time.perf_counter()
for k in range(1, count + 1):
    u = h.helicsInputGetDouble(subscription)
    h.helicsFederateRequestTime(federate, k * step)
    x = A @ x + B * u
    h.helicsPublicationPublishDouble(publication, float(x[0]))
    times.append(k * step)
    values.append(x[0])
seconds = time.perf_counter() - begun
np.savez(file, time=times, values=values, seconds=seconds)
h.helicsFederateDisconnect(federate)
h.helicsFederateFree(federate)
h.helicsCloseLibrary()
