// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model of one variable in memory and takes two steps.

#include "flywheel/Driver/FrontEnd.h"
#include "flywheel/Session/Session.h"

#include <cstdio>

static int fail(const flywheel::runtime::Status &status) {
  std::printf("%s\n", status.message().c_str());
  return 1;
}

int main(int argc, char **argv) {
  flywheel::FrontEnd frontEnd;
  auto compiled = frontEnd.compileFile(argv[argc - 1], {});
  if (failed(compiled))
    return 1;
  auto program = flywheel::Program::create(*compiled->module);
  if (!program.isOk())
    return fail(program.status());
  auto session = flywheel::Session::create(*program);
  if (!session.isOk())
    return fail(session.status());
  if (auto status = (*session)->initialize(/*seed=*/1); !status.isOk())
    return fail(status);
  for (int step = 1; step <= 2; ++step) {
    float loss = 0.0F;
    flywheel::MutableArrayView result;
    result.data = &loss;
    if (auto status = (*session)->call("step", {}, result); !status.isOk())
      return fail(status);
    std::printf("step %d: %g\n", step, loss);
  }
  return 0;
}
