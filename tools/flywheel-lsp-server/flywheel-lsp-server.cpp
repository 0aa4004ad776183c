//===- flywheel-lsp-server.cpp - Editor support for .mlir files -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Proxy.h"
#include "Tools.h"

#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/Plugins.h"
#include "flywheel/Support/LargeStack.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/WithColor.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace flywheel::lsp;
namespace cl = llvm::cl;

static int runUpstream(std::vector<char *> arguments) {
  // Upstream parses the command line; here it is for --help.
  static cl::opt<bool> checkStages(
      "check-stages", cl::init(true),
      cl::desc("Compile documents without errors, and show what the stages of "
               "compilation say (default true)"));
  static cl::list<std::string> dialectPlugins(
      "load-dialect-plugin", cl::value_desc("file"),
      cl::desc("Load dialects from this plugin, a shared library"));
  mlir::DialectRegistry registry;
  flywheel::registerAllFlywheelDialects(registry);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  bool hasFailed = true;
  bool hasMemory = flywheel::runOnLargeStack([&] {
    hasFailed = mlir::failed(
        mlir::MlirLspServerMain(count, arguments.data(), registry));
  });
  return hasFailed || !hasMemory;
}

/// Returns an option without its dashes: `--lit-test` is `lit-test`.
static llvm::StringRef getOption(llvm::StringRef argument) {
  return argument.starts_with("-") ? argument.ltrim('-') : llvm::StringRef();
}

int flywheel::tools::lspServerMain(int argc, char **argv) {
  ProxyOptions options;
  std::vector<char *> arguments;
  bool isServer = true;
  for (int i = 0; i < argc; ++i) {
    llvm::StringRef option = getOption(argv[i]);
    auto [name, path] = option.split('=');
    if (name == "load-dialect-plugin") {
      // Also for the checks of stages, which this process starts.
      if (name == option && i + 1 < argc)
        path = argv[++i];
      if (llvm::Error error = flywheel::loadDialectPlugin(path)) {
        llvm::WithColor::error(llvm::errs(), "flywheel-lsp-server")
            << llvm::toString(std::move(error)) << "\n";
        return 1;
      }
    } else if (option == "lit-test") {
      options.isTest = true;
    } else if (option == "check-stages=false" || option == "check-stages=0") {
      options.checkStages = false;
    } else {
      arguments.push_back(argv[i]);
    }
    if (option.starts_with("help") || option == "version")
      isServer = false;
  }
  if (!isServer)
    return runUpstream({argv, argv + argc});

  int toUpstream[2], fromUpstream[2];
  if (pipe(toUpstream) != 0 || pipe(fromUpstream) != 0) {
    std::perror("flywheel-lsp-server");
    return 1;
  }
  // Before any thread starts.
  pid_t server = fork();
  if (server < 0) {
    std::perror("flywheel-lsp-server");
    return 1;
  }
  if (server == 0) {
    dup2(toUpstream[0], STDIN_FILENO);
    dup2(fromUpstream[1], STDOUT_FILENO);
    for (int fd :
         {toUpstream[0], toUpstream[1], fromUpstream[0], fromUpstream[1]})
      close(fd);
    // Does not return to a caller, which is the parent's.
    std::exit(runUpstream(std::move(arguments)));
  }
  close(toUpstream[0]);
  close(fromUpstream[1]);
  // Makes a write to a closed pipe return an error.
  std::signal(SIGPIPE, SIG_IGN);
  Proxy(toUpstream[1], fromUpstream[0], options).run();
  int status = 0;
  waitpid(server, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
