//===- SessionBindings.cpp - Sessions in Python ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Arrays.h"
#include "Bindings.h"
#include "Errors.h"
#include "GIL.h"
#include "Values.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using flywheel::runtime::Status;

namespace flywheel::python {

/// Runs `action`, which gives a status, alone in the session and without the
/// GIL.
template <typename Action>
static void runUnlocked(PySession &self, Action action) {
  check(runAlone(*self.mutex, [&] {
    GILRelease release;
    return action(*self.session);
  }));
}

static nb::object getEntry(nb::handle self, const Text &name) {
  auto &session = nb::cast<PySession &>(self);
  CallPlan *plan = take(
      runAlone(*session.mutex, [&] { return session.session->prepare(name); }));
  PyObject *entry = makeEntry(self, session, *plan);
  if (!entry)
    throw nb::python_error();
  return nb::steal(entry);
}

/// Returns a flywheel.Profile, which starts and stops this one. If `run` is
/// given, calls and measures it.
static nb::object makeProfile(nb::handle self, nb::object run) {
  nb::object profile = nb::module_::import_("flywheel.profile")
                           .attr("Profile")(nb::getattr(self, "_start_profile"),
                                            nb::getattr(self, "_stop_profile"));
  if (!run.is_none())
    profile.attr("_measure")(run);
  return profile;
}

/// Table, JSON and trace.
static nb::tuple stopProfile(PySession &self) {
  auto profile =
      take(runAlone(*self.mutex, [&] { return self.session->stopProfile(); }));
  std::string table, numbers, trace;
  llvm::raw_string_ostream tableStream(table), numberStream(numbers),
      traceStream(trace);
  profile.print(tableStream);
  numberStream << profile.toJSON();
  traceStream << profile.toTrace();
  return nb::make_tuple(table, numbers, trace);
}

/// In layout order.
static std::vector<std::string> getVariableNames(const PySession &self) {
  std::vector<std::string> names;
  for (const VariableSpec &variable : self.session->getProgram().getVariables())
    names.push_back(variable.name);
  return names;
}

/// Returns the name of a variable, as a key of a session.
static std::string getKey(nb::handle key) {
  if (!PyUnicode_Check(key.ptr())) {
    PyErr_Format(PyExc_TypeError,
                 "expected the name of a variable, a str, found %s",
                 Py_TYPE(key.ptr())->tp_name);
    throw nb::python_error();
  }
  return getText(key, "the name of a variable");
}

static nb::object getVariable(PySession &self, nb::handle key) {
  std::string name = getKey(key);
  return copyValue(*self.mutex,
                   [&] { return self.session->getVariable(name); });
}

static void setVariable(PySession &self, nb::handle key, nb::handle value) {
  std::string name = getKey(key);
  const Program &program = self.session->getProgram();
  size_t index = take(program.lookupVariable(name));
  setValue(*self.mutex, name, program.getVariables()[index].dtype, value,
           [&](const ArrayView &view) {
             return self.session->setVariable(name, view);
           });
}

/// Returns the object of a bound class that \p value is. Throws TypeError for
/// anything else; \p kind says what the argument \p what would be.
template <typename T>
static const T &getTyped(nb::handle value, const char *what, const char *kind) {
  if (nb::isinstance<T>(value))
    return nb::cast<T &>(value);
  PyErr_Format(PyExc_TypeError, "expected %s as %s, found %s", kind, what,
               Py_TYPE(value.ptr())->tp_name);
  throw nb::python_error();
}

void addSession(nb::module_ &module) {
  nb::class_<PySession> session(
      module, "Session",
      "The variables of a program, and calls on them.\n\n"
      "Session(program) has variables of its own, none of which has a value; "
      "Session(program,\nshare=other) works on the variables of another "
      "session "
      "of the program. Threads take turns.\n\nA variable on a device that this "
      "machine does not have raises InvalidArgumentError,\nor with "
      "soft_placement stays on the CPU, with a warning.");
  session
      .def(
          "__init__",
          [](PySession *self, nb::handle given, nb::handle other,
             bool softPlacement) {
            auto &program =
                getTyped<PyProgram>(given, "program", "a flywheel.Program");
            const PySession *share =
                other.is_none() ? nullptr
                                : &getTyped<PySession>(other, "share",
                                                       "a flywheel.Session");
            if (share) {
              if (&share->session->getProgram() != program.program.get()) {
                raise(ErrorKind::InvalidArgument,
                      "sessions that share variables need one program");
                throw nb::python_error();
              }
              new (self)
                  PySession{program.context, Session::share(*share->session),
                            share->mutex};
              return;
            }
            SessionOptions options;
            options.softPlacement = softPlacement;
            std::vector<std::string> warnings;
            options.warn = [&](const std::string &text) {
              warnings.push_back(text);
            };
            std::unique_ptr<Session> session =
                take(Session::create(program.program, options));
            for (const std::string &warning : warnings)
              if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 1) < 0)
                throw nb::python_error();
            new (self) PySession{program.context, std::move(session),
                                 std::make_shared<ObjectMutex>()};
          },
          "program"_a.none(), nb::kw_only(), "share"_a = nb::none(),
          "soft_placement"_a = false)
      .def("__init__", &refuseToMake)
      .def(
          "initialize",
          [](PySession &self, nb::handle given,
             const std::optional<std::vector<std::string>> &names,
             const std::optional<std::string> &collection) {
            uint64_t seed = getSeed(given);
            if (names && collection)
              throw nb::value_error("expected names or a collection of the "
                                    "variables to initialise, found both");
            runUnlocked(self, [&](Session &s) {
              if (collection)
                return s.initializeCollection(seed, *collection);
              return names ? s.initialize(seed, *names) : s.initialize(seed);
            });
          },
          "seed"_a = 0, "names"_a = nb::none(), "collection"_a = nb::none(),
          "Gives variables, by default those of GLOBAL, their initial values. "
          "The random "
          "stream of a variable\ndepends on `seed` and on how often it was "
          "initialised before. Raises NotFoundError for an\nunknown name; "
          "ValueError for a negative seed; FailedPreconditionError where an "
          "initial value is computed from a "
          "variable that\nhas none.")
      .def(
          "initialize_missing",
          [](PySession &self, nb::handle given) {
            uint64_t seed = getSeed(given);
            runUnlocked(self,
                        [&](Session &s) { return s.initializeMissing(seed); });
          },
          "seed"_a = 0,
          "Initialises the variables that have no value; others keep theirs.")
      .def("entry", &getEntry, "name"_a,
           "The callable of an entry: get it once, call it often. Raises "
           "NotFoundError.")
      .def(
          "run",
          [](nb::handle self, const Text &name, nb::args args,
             nb::kwargs feeds) { return getEntry(self, name)(*args, **feeds); },
          "entry"_a, "args"_a, "feeds"_a,
          "Calls an entry by name, with feeds by position or by name. See "
          "Entry.")
      .def("__getitem__", &getVariable, "name"_a,
           "A copy of a variable, an array of its dtype and shape; strings are "
           "an array of str, with\nbytes that are not UTF-8 as surrogateescape "
           "has them. Raises NotFoundError;\nFailedPreconditionError while it "
           "has no value.")
      .def(
          "__setitem__", &setVariable, "name"_a, "value"_a.none(),
          "Sets a variable from an array of its dtype and shape, or from a "
          "Python number, str or\nbytes where it is a scalar. Strings come as "
          "arrays of object, S or U. Raises\nNotFoundError; "
          "InvalidArgumentError for another dtype or shape; TypeError for what "
          "is\nneither, or a number that the dtype cannot hold.")
      .def(
          "__contains__",
          [](const PySession &self, const Text &name) {
            return self.session->getProgram().lookupVariable(name).isOk();
          },
          "name"_a)
      .def(
          "__iter__",
          [](const PySession &self) {
            return nb::iter(nb::cast(getVariableNames(self)));
          },
          "The names of the variables, in layout order.")
      .def("__len__",
           [](const PySession &self) {
             return self.session->getProgram().getVariables().size();
           })
      .def_prop_ro("variables", &getVariableNames,
                   "Names of the variables, in layout order.")
      .def(
          "is_initialized",
          [](const PySession &self, const Text &name) {
            return take(runAlone(*self.mutex, [&] {
              return self.session->isInitialized(name);
            }));
          },
          "name"_a, "Whether a variable has a value. Raises NotFoundError.")
      .def(
          "report_uninitialized",
          [](const PySession &self) {
            return runAlone(*self.mutex, [&] {
              return self.session->reportUninitialized();
            });
          },
          "Names of the variables that have no value: those of GLOBAL, then "
          "those of LOCAL.")
      .def(
          "run_counter",
          [](const PySession &self, const Text &name) {
            return take(runAlone(*self.mutex, [&] {
              return self.session->getRunCounter(name);
            }));
          },
          "name"_a,
          "How often a variable was initialised. Raises NotFoundError.")
      .def("profile", &makeProfile, "run"_a = nb::none(),
           "A context manager that measures how long the kernels of the calls "
           "in its block take, and then\nhas the numbers: see Profile. With "
           "`run`, "
           "a profile of what run() does. For a program that\nis compiled "
           "with profile=True; FailedPreconditionError for another.")
      .def("_start_profile",
           [](PySession &self) {
             check(runAlone(*self.mutex,
                            [&] { return self.session->startProfile(); }));
           })
      .def("_stop_profile", &stopProfile)
      .def_prop_rw(
          "threads",
          [](const PySession &self) {
            return runAlone(*self.mutex,
                            [&] { return self.session->getThreads(); });
          },
          [](PySession &self, nb::handle given) {
            int64_t threads = getInteger(given);
            check(runAlone(*self.mutex,
                           [&] { return self.session->setThreads(threads); }));
          },
          "How many threads, at most, execute a step together: by default as "
          "many as the program is\ncompiled for. Results do not depend on it. "
          "InvalidArgumentError for less than 1 or for more.")
      .def_prop_ro(
          "seed",
          [](const PySession &self) {
            return runAlone(*self.mutex,
                            [&] { return self.session->getSeed(); });
          },
          "The seed of the last initialisation.");
  addCheckpoints(module, session);
}

} // namespace flywheel::python
