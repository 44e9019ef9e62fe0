// Blocks that are written in Python, and compiled functions as blocks.

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/python_calls.hpp"
#include "bind/python_values.hpp"
#include "diagram/blocks/function.hpp"

namespace counterpoint::bind {

using namespace counterpoint::diagram;

namespace {

/// How a block in Python describes itself.
struct Description {
  std::vector<std::string> inputs, outputs;
  std::vector<int> widths;  ///< of outputs
  int states = 0;
  int crossings = 0;
  double period = 0.0, offset = 0.0;
  bool feedthrough = true;
  bool needs_major = false;
};

/// Inputs as arguments of Python functions: numbers, or arrays that are written again at every call.
class Arguments {
 public:
  void bind(const Block::Memory& memory) {
    HoldsInterpreter held;
    in_ = memory.in;
    widths_ = memory.in_width;
    arrays_.clear();
    for (std::size_t i = 0; i < in_.size(); ++i) {
      arrays_.push_back(widths_[i] > 1 ? std::make_unique<SharedArray>(widths_[i]) : nullptr);
    }
  }
  void clear() { arrays_.clear(); }

  /// function(first, inputs...)
  nb::object call(nb::handle function, nb::handle first, bool with_inputs = true) {
    const std::size_t count = with_inputs ? in_.size() : 0;
    nb::object given = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count + 1)));
    PyTuple_SetItem(given.ptr(), 0, nb::borrow(first).release().ptr());
    for (std::size_t i = 0; i < count; ++i) {
      nb::object value;
      if (arrays_[i]) {
        std::copy_n(in_[i], widths_[i], arrays_[i]->data());
        value = nb::borrow(arrays_[i]->object());
      } else {
        value = nb::steal(PyFloat_FromDouble(*in_[i]));
      }
      PyTuple_SetItem(given.ptr(), static_cast<Py_ssize_t>(i + 1), value.release().ptr());
    }
    nb::object made = nb::steal(PyObject_CallObject(function.ptr(), given.ptr()));
    if (!made.is_valid()) throw nb::python_error();
    return made;
  }

 private:
  std::vector<const double*> in_;
  std::vector<int> widths_;
  std::vector<std::unique_ptr<SharedArray>> arrays_;
};

/// What functions and objects share: the ports, the context as a Python object, the reading of outputs.
class PythonBase : public Block {
 public:
  explicit PythonBase(const Description& description)
      : Block(description.inputs, description.outputs), description_(description), shown_(nb::cast(Context{})) {
    context_ = nb::cast<Context*>(shown_);
  }
  ~PythonBase() override {
    HoldsInterpreter held;
    arguments_.clear();
    shown_.reset();
  }

  void shape(Shape& shape) const override { shape.outputs = description_.widths; }
  bool feedthrough(int, int) const override { return description_.feedthrough; }
  Notices notices() const override { return {.every_end = description_.needs_major}; }
  SampleTime sample_time() const override { return {description_.period, description_.offset}; }
  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    arguments_.bind(bound());
  }

 protected:
  template <class Work>
  static auto guarded(Work work) {
    return in_python([&] {
      try {
        return work();
      } catch (const nb::builtin_exception& error) {  // the block is named in front of it
        throw std::invalid_argument(error.what());
      }
    });
  }
  nb::handle show(const Context& context) {
    *context_ = context;
    return shown_;
  }
  void take_outputs(nb::handle made) {
    if (outputs() == 0) return;
    if (outputs() == 1) return read_values(made, out(0), out_width(0), "it");
    const Py_ssize_t count = PySequence_Check(made.ptr()) ? PySequence_Size(made.ptr()) : -1;
    if (count != outputs()) {
      throw std::invalid_argument("it must return " + std::to_string(outputs()) + " outputs, one after another");
    }
    for (int j = 0; j < outputs(); ++j) {
      const nb::object one = nb::steal(PySequence_GetItem(made.ptr(), j));
      if (!one.is_valid()) throw nb::python_error();
      read_values(one, out(j), out_width(j), output_names()[j].c_str());
    }
  }

  Description description_;
  Arguments arguments_;

 private:
  nb::object shown_;
  Context* context_;
};

class PythonFunction final : public PythonBase {
 public:
  PythonFunction(nb::object function, const Description& description, bool with_context)
      : PythonBase(description), function_(std::move(function)), with_context_(with_context) {}
  ~PythonFunction() override {
    HoldsInterpreter held;
    function_.reset();
  }
  void output(const Context& context, int) override {
    guarded([&] {
      if (with_context_) return take_outputs(arguments_.call(function_, show(context)));
      take_outputs(arguments_.call(function_, nb::float_(context.time)));
    });
  }

 private:
  nb::object function_;
  bool with_context_;
};

/// See counterpoint.diagram.PythonBlock for the contract. Its states are handed over as the array `x`.
class PythonObject final : public PythonBase {
 public:
  PythonObject(nb::object block, const Description& description)
      : PythonBase(description),
        block_(std::move(block)),
        x_(std::make_unique<SharedArray>(description.states)),
        updates_(has("update")),
        has_accepted_(has("accepted")),
        has_rejected_(has("rejected")) {
    nb::setattr(block_, "x", x_->object());
  }
  ~PythonObject() override {
    HoldsInterpreter held;
    block_.reset();
    x_.reset();
  }

  int states() const override { return description_.states; }
  int crossings() const override { return description_.crossings; }
  bool updates() const override { return updates_; }
  /// What `accepted` changed may show in the outputs at the start of the next step.
  Notices notices() const override {
    return {.remembers = has_accepted_, .rejected = has_rejected_, .every_end = description_.needs_major};
  }

  void start(const Context& context) override {
    guarded([&] {
      nb::setattr(block_, "x", x_->object());
      std::fill_n(x_->data(), states(), 0.0);
      arguments_.call(block_.attr("start"), show(context), false);
      std::copy_n(x_->data(), states(), x());
    });
  }
  void output(const Context& context, int) override {
    guarded([&] { take_outputs(ask("output", context)); });
  }
  void derivative(const Context& context) override {
    guarded([&] { read_values(ask("derivative", context), dx(), states(), "derivative"); });
  }
  /// States that others see are written by commit, after all updates have read them.
  bool update(const Context& context) override {
    return guarded([&] {
      const nb::object again = ask("update", context);
      const bool moved = !std::equal(x_->data(), x_->data() + states(), x());
      return moved || (!again.is_none() && nb::cast<bool>(nb::bool_(again)));
    });
  }
  void commit(const Context&) override { std::copy_n(x_->data(), states(), x()); }
  void accepted(const Context& context) override {
    if (has_accepted_) guarded([&] { ask("accepted", context); });
  }
  void rejected(const Context& context) override {
    if (has_rejected_) guarded([&] { ask("rejected", context); });
  }
  void crossing(const Context& context, double* g) override {
    guarded([&] { read_values(ask("crossing", context), g, crossings(), "crossing"); });
  }

  struct Saved final : SavedState {
    explicit Saved(nb::object made) : state(std::move(made)) {}
    ~Saved() override {
      HoldsInterpreter held;
      state.reset();
    }
    nb::object state;
  };
  std::unique_ptr<SavedState> save() const override {
    return guarded([&]() -> std::unique_ptr<SavedState> { return std::make_unique<Saved>(block_.attr("save")()); });
  }
  void restore(const SavedState& state) override {
    guarded([&] { block_.attr("restore")(static_cast<const Saved&>(state).state); });
  }

 private:
  bool has(const char* method) const { return nb::hasattr(block_, method); }
  nb::object ask(const char* method, const Context& context) {
    std::copy_n(x(), states(), x_->data());
    return arguments_.call(block_.attr(method), show(context));
  }

  nb::object block_;
  std::unique_ptr<SharedArray> x_;
  bool updates_, has_accepted_, has_rejected_;
};

}  // namespace

void bind_diagram_functions(nb::module_& m) {
  nb::class_<Context>(m, "Context", "The evaluation for which a block is called.")
      .def_ro("time", &Context::time, "s")
      .def_ro("step", &Context::step, "Size of the present attempt, s; 0 at an instant between steps.")
      .def_ro("stage", &Context::stage, "Stage of the solver, counted from 0.")
      .def_ro("attempt", &Context::attempt, "Number of the attempt of a step, counted from 0.")
      .def_ro("is_major", &Context::is_major, "At an accepted time: others see these outputs.")
      .def_prop_ro("decides", &Context::decides, "Whether a mode may change in this evaluation.");

  nb::class_<Description>(m, "Description", "Ports and properties of a block in Python.")
      .def(nb::init<>())
      .def_rw("inputs", &Description::inputs)
      .def_rw("outputs", &Description::outputs)
      .def_rw("widths", &Description::widths)
      .def_rw("states", &Description::states)
      .def_rw("crossings", &Description::crossings)
      .def_rw("period", &Description::period)
      .def_rw("offset", &Description::offset)
      .def_rw("feedthrough", &Description::feedthrough)
      .def_rw("needs_major", &Description::needs_major);

  m.def(
      "python_function",
      [](nb::object function, const Description& description, bool with_context) -> BlockPointer {
        return std::make_shared<PythonFunction>(std::move(function), description, with_context);
      },
      nb::arg("function"), nb::arg("description"), nb::arg("with_context"));
  m.def(
      "python_block",
      [](nb::object block, const Description& description) -> BlockPointer {
        return std::make_shared<PythonObject>(std::move(block), description);
      },
      nb::arg("block"), nb::arg("description"));
  m.def(
      "compiled_function",
      [](std::uintptr_t address, const Description& d, bool is_pure) {
        return make_compiled_function(reinterpret_cast<CompiledFunction>(address), d.inputs, d.outputs, d.widths,
                                      is_pure);
      },
      nb::arg("address"), nb::arg("description"), nb::arg("is_pure"));
}

}  // namespace counterpoint::bind
