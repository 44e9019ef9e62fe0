"""An FMU of either version led call by call by FMPy."""

import ctypes
import shutil

import fmpy
import fmpy.fmi2
import fmpy.fmi3


class Led:
    """``with Led(path, load=1.0) as fmu:`` an instance that has left initialisation mode.

    Values of arrays are those of their scalars one after another.
    """

    def __init__(self, path, *, begin=0.0, start=None, is_begun=True, **options):
        self.path, self.begin, self.start, self.is_begun, self.options = path, begin, start or {}, is_begun, options
        self.messages = []

    def __enter__(self):
        description = self.description = fmpy.read_model_description(str(self.path))
        self.variables = {v.name: v for v in description.modelVariables}
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.is_2 = description.fmiVersion.startswith("2")
        self.folder = fmpy.extract(str(self.path))
        kind = fmpy.fmi2.FMU2Slave if self.is_2 else fmpy.fmi3.FMU3Slave
        self.fmu = kind(
            guid=description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="led",
        )
        if self.is_2:
            # The texts of FMI 2 are formats with arguments; ours is always "%s" and the text.
            self.fmu.instantiate(**self.options)
        else:
            self.fmu.instantiate(
                logMessage=lambda _, status, category, text: self.messages.append(text.decode()), **self.options
            )
        if self.is_begun:
            self.initialize()
            self.fmu.exitInitializationMode()
        return self

    def initialize(self):
        if self.is_2:
            self.fmu.setupExperiment(startTime=self.begin)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=self.begin)
        for name, value in self.start.items():
            self.set(name, value)

    def __exit__(self, *_):
        self.fmu.freeInstance()
        shutil.rmtree(self.folder)

    def set(self, name, *values):
        (self.fmu.setReal if self.is_2 else self.fmu.setFloat64)([self.references[name]], list(values))

    def get(self, name):
        """Return the value of a scalar, the values of an array."""
        if self.is_2:
            return self.fmu.getReal([self.references[name]])[0]
        count = self.width(name)
        values = self.fmu.getFloat64([self.references[name]], count)
        return values[0] if count == 1 else list(values)

    def width(self, name):
        dimensions = getattr(self.variables[name], "dimensions", None) or ()
        width = 1
        for dimension in dimensions:
            width *= int(dimension.start)
        return width

    def outputs(self):
        return {name: self.get(name) for name, v in self.variables.items() if v.causality == "output"}

    def step(self, t, length):
        return self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=length)

    def slope(self, name):
        """Return dy/dt of an output."""
        reference = [self.references[name]]
        if self.is_2:
            return self.fmu.getRealOutputDerivatives(reference, [1])[0]
        values = (ctypes.c_double * self.width(name))()
        references, orders = (ctypes.c_uint32 * 1)(*reference), (ctypes.c_int32 * 1)(1)
        self.fmu.fmi3GetOutputDerivatives(self.fmu.component, references, 1, orders, values, len(values))
        return values[0] if len(values) == 1 else list(values)

    def directional(self, unknowns, knowns, seed):
        """Return d(unknowns)/d(knowns) times a seed."""
        rows, columns = ([self.references[n] for n in names] for names in (unknowns, knowns))
        if self.is_2:
            return list(self.fmu.getDirectionalDerivative(rows, columns, seed))
        width = sum(self.width(n) for n in unknowns)
        return list(self.fmu.getDirectionalDerivative(rows, columns, seed, width))

    def state_bytes(self):
        """Return the state as bytes, as a master that keeps it on disk does."""
        state = self.fmu.getFMUState()
        made = self.fmu.serializeFMUState(state)
        self.fmu.freeFMUState(state)
        return bytes(made)

    def take_over(self, data):
        state = self.fmu.deserializeFMUState(data)
        self.fmu.setFMUState(state)
        self.fmu.freeFMUState(state)
