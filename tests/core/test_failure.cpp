#include "coupling/failure.hpp"

#include <check.hpp>  // the core's

#include "check.hpp"

using namespace counterpoint;

namespace {

using Kind = Failure::Kind;
using Activity = Failure::Activity;

template <class Error>
Failure failure_of(const Error& error) {
  return Failure::of(std::make_exception_ptr(error));
}

Failure failed_step(Kind kind, const std::string& reason) {
  Failure failure;
  failure.kind = kind;
  failure.activity = Activity::step;
  failure.start = 1.2345;
  failure.end = 1.2346;
  failure.reason = reason;
  return failure;
}

}  // namespace

TEST(an_exception_becomes_a_failure_of_its_kind) {
  CHECK(failure_of(StepFailure(Kind::not_finite, "NaN", 2)).kind == Kind::not_finite);
  CHECK(failure_of(StepFailure(Kind::not_finite, "NaN", 2)).port == 2);
  CHECK(failure_of(SignalFailure("NaN")).kind == Kind::signal);
  CHECK(failure_of(SolverFailure("did not converge")).kind == Kind::solver);
  CHECK(failure_of(ComponentFailure("valve stuck")).kind == Kind::component);
  CHECK(failure_of(ComponentFailure("no licence", true)).kind == Kind::death);
  CHECK(failure_of(ModelFailure("ValueError: x", nullptr)).kind == Kind::model);
  CHECK(failure_of(ModelFailure("gone", nullptr, true)).kind == Kind::death);
  CHECK(failure_of(InternalError("internal error")).kind == Kind::internal);
  CHECK(failure_of(std::runtime_error("tyre burst")).kind == Kind::model);
  CHECK(failure_of(std::runtime_error("tyre burst")).reason == "tyre burst");
  CHECK(Failure::of(std::make_exception_ptr(7)).kind == Kind::model);
}

TEST(the_end_of_a_run_is_no_failure) {
  const Failure failure = failure_of(RunEnd("the tank is full", 2.5));
  CHECK(!failure);
  CHECK(failure.reason == "the tank is full");
}

TEST(what_a_part_of_a_model_threw_decides_the_kind) {
  const auto kind = [](std::exception_ptr cause) { return failure_of(SolverFailure("block", std::move(cause))).kind; };
  CHECK(kind(std::make_exception_ptr(ModelFailure("ValueError: x", nullptr))) == Kind::model);
  CHECK(kind(std::make_exception_ptr(ModelFailure("gone", nullptr, true))) == Kind::death);
  CHECK(kind(std::make_exception_ptr(InternalError("internal error"))) == Kind::internal);
  CHECK(kind(std::make_exception_ptr(std::invalid_argument("x"))) == Kind::solver);
}

TEST(the_sentence_names_participant_step_and_port) {
  CHECK(failed_step(Kind::solver, "did not converge").sentence("engine", "") ==
        "engine: step from t = 1.2345 s to 1.2346 s failed: did not converge");
  CHECK(failed_step(Kind::not_finite, "NaN").sentence("engine", "torque") ==
        "engine: step from t = 1.2345 s to 1.2346 s failed: output \"torque\" is NaN; the model or its step is the "
        "origin, its inputs were finite");
  CHECK(failed_step(Kind::signal, "NaN: the coupling law gave it").sentence("engine", "load") ==
        "engine: step from t = 1.2345 s to 1.2346 s failed: input \"load\" is NaN: the coupling law gave it");
}

TEST(the_sentence_says_what_the_participant_was_doing) {
  Failure failure = failed_step(Kind::not_finite, "NaN");
  failure.activity = Activity::major_step;
  CHECK(failure.sentence("host", "y") == "host: major step at t = 1.2345 s: output \"y\" is NaN");
  failure = failed_step(Kind::model, "ValueError: x");
  failure.activity = Activity::start;
  CHECK(failure.sentence("tank", "") == "tank: start at t = 1.2345 s failed: ValueError: x");
  failure.activity = Activity::preferred_step;
  CHECK(failure.sentence("tank", "") == "tank: next_step at t = 1.2345 s failed: ValueError: x");
}
