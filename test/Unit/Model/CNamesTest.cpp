//===- CNamesTest.cpp - Headers of models with odd names ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every keyword of C and C++ and every macro that a program has after
// widespread headers, as the name of a feed, a result, a dimension size, a
// variable, an entry, a model, and of a model and an entry together.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/CNames.h"
#include "flywheel/Target/CHeader/CHeader.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <set>

using namespace flywheel;

namespace {

constexpr const char *kKeywords =
    "_Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal128 _Float16 "
    "_Generic _Imaginary _Noreturn _Static_assert _Thread_local __asm__ "
    "__attribute__ __func__ __int128 __restrict alignas alignof and and_eq asm "
    "auto bitand bitor bool break case catch char char16_t char32_t char8_t "
    "class co_await co_return co_yield compl concept const const_cast "
    "consteval "
    "constexpr constinit continue decltype default delete do double "
    "dynamic_cast else enum explicit export extern false final float for "
    "friend "
    "goto if import inline int long main module mutable namespace new noexcept "
    "not not_eq nullptr operator or or_eq override private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof "
    "static static_assert static_cast std struct switch template this "
    "thread_local throw true try typedef typeid typename typeof typeof_unqual "
    "union unsigned using virtual void volatile wchar_t while xor xor_eq "
    "int8_t uint8_t int16_t int32_t int64_t uint64_t size_t ptrdiff_t "
    "uint_least8_t intmax_t s name data bytes flywheel flywheel_model memcpy "
    "strerror_r explicit_bzero 3d d-f a.b q?";

constexpr const char *kHeaders =
    "#include <assert.h>\n#include <errno.h>\n#include <float.h>\n"
    "#include <limits.h>\n#include <math.h>\n#include <setjmp.h>\n"
    "#include <signal.h>\n#include <stdarg.h>\n#include <stdbool.h>\n"
    "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
    "#ifndef __cplusplus\n#include <complex.h>\n#include <iso646.h>\n"
    "#include <stdalign.h>\n#include <stdnoreturn.h>\n#endif\n";

class CNames : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("c-names", folder));
    write("headers.c", kHeaders);
    for (llvm::StringRef word : llvm::split(kKeywords, ' '))
      names.insert(word.str());
    addMacros({FLYWHEEL_C_COMPILER, "-std=gnu17", "-dM", "-E"});
    addMacros(
        {FLYWHEEL_CXX_COMPILER, "-std=gnu++20", "-x", "c++", "-dM", "-E"});
    ASSERT_GT(names.size(), 500u);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) { return (folder + "/" + name).str(); }

  void write(llvm::StringRef name, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream file(path(name), error);
    ASSERT_FALSE(error);
    file << text;
  }

  int run(std::vector<std::string> command, llvm::StringRef output) {
    std::vector<llvm::StringRef> views(command.begin(), command.end());
    std::string out = path(output);
    std::optional<llvm::StringRef> redirects[] = {"", llvm::StringRef(out), {}};
    return llvm::sys::ExecuteAndWait(command.front(), views, {}, redirects);
  }

  void addMacros(std::vector<std::string> command) {
    command.push_back(path("headers.c"));
    ASSERT_EQ(run(command, "macros"), 0);
    auto text = llvm::MemoryBuffer::getFile(path("macros"));
    ASSERT_TRUE(bool(text));
    for (llvm::StringRef line : llvm::split((*text)->getBuffer(), '\n'))
      if (line.consume_front("#define "))
        names.insert(
            line.take_until([](char c) { return c == ' ' || c == '('; }).str());
  }

  /// Compiles what includes the headers of a user and then `text`.
  void expectCompiles(const std::string &text) {
    write("main.c", std::string(kHeaders) + text);
    for (const char *standard : {"-std=c99", "-std=gnu17"})
      EXPECT_EQ(
          run({FLYWHEEL_C_COMPILER, standard, "-fsyntax-only", path("main.c")},
              "out"),
          0);
    for (const char *standard : {"-std=c++11", "-std=gnu++20"})
      EXPECT_EQ(run({FLYWHEEL_CXX_COMPILER, standard, "-fsyntax-only", "-x",
                     "c++", path("main.c")},
                    "out"),
                0);
  }

  ManifestArgument makeArgument(const std::string &name, int64_t symbol) {
    mlir::Builder b(&context);
    ManifestArgument argument;
    argument.name = name;
    bool isDynamic = symbol >= 0;
    argument.type = mlir::RankedTensorType::get(
        {isDynamic ? mlir::ShapedType::kDynamic : 2}, b.getI16Type());
    argument.symbols = {symbol};
    return argument;
  }

  Manifest makeManifest(llvm::StringRef model) {
    Manifest manifest;
    manifest.model = model.str();
    manifest.layoutHash = 1;
    manifest.stateBytes = 4096;
    manifest.messages.push_back(
        {StatusKind::NotInitialized, getNotInitializedMessage(manifest)});
    return manifest;
  }

  ManifestEntry makeEntry(llvm::StringRef name) {
    ManifestEntry entry;
    entry.name = name.str();
    return entry;
  }

  mlir::MLIRContext context;
  llvm::SmallString<128> folder;
  std::set<std::string> names;
};

TEST_F(CNames, ParametersAndVariables) {
  Manifest manifest = makeManifest("m");
  mlir::Builder b(&context);
  unsigned number = 0;
  for (const std::string &name : names) {
    if (number % 50 == 0)
      manifest.entries.push_back(makeEntry("e" + std::to_string(number)));
    ++number;
    ManifestEntry &entry = manifest.entries.back();
    entry.symbols.push_back(name);
    entry.feeds.push_back(makeArgument(name, entry.symbols.size() - 1));
    entry.results.push_back(makeArgument(name, -1));
    ManifestVariable variable;
    variable.name = name;
    variable.type = mlir::RankedTensorType::get({}, b.getF32Type());
    manifest.variables.push_back(variable);
  }
  expectCompiles(emitCHeader(manifest, 16));
}

TEST_F(CNames, EntriesAndModels) {
  std::string text;
  std::set<std::string> seen;
  auto add = [&](const Manifest &manifest) {
    // Two models whose names differ by capitals share their macros.
    if (seen.insert(toCMacro(manifest.model)).second)
      text += emitCHeader(manifest, 16);
  };
  Manifest all = makeManifest("every");
  std::set<std::string> symbols;
  for (const std::string &name : names) {
    ManifestEntry entry = makeEntry(name);
    if (symbols.insert(getEntrySymbol(all, entry)).second)
      all.entries.push_back(entry);
  }
  add(all);
  for (const std::string &name : names) {
    Manifest model = makeManifest(name);
    model.entries.push_back(makeEntry("step"));
    add(model);
    // `int32_t` is the entry `t` of the model `int32`.
    for (size_t cut = name.find('_', 1); cut != std::string::npos;
         cut = name.find('_', cut + 1)) {
      Manifest split = makeManifest(name.substr(0, cut));
      if (cut + 1 == name.size() || seen.count(toCMacro(split.model)))
        continue;
      split.entries.push_back(makeEntry(name.substr(cut + 1)));
      add(split);
    }
  }
  expectCompiles(text);
}

// Identifiers that begin with `_` are not the program's.
TEST_F(CNames, NoModelIsReserved) {
  for (const std::string &name : names) {
    std::string identifier = toCIdentifier(name);
    EXPECT_TRUE(llvm::isAlpha(identifier.front())) << name;
    EXPECT_EQ(toCIdentifier(identifier), identifier);
    if (identifier != name)
      EXPECT_TRUE(llvm::StringRef(identifier).starts_with("model_") ||
                  identifier.size() == name.size())
          << name << " is " << identifier;
  }
  EXPECT_EQ(toCIdentifier("int"), "model_int");
  EXPECT_EQ(toCMacro("int"), "MODEL_INT");
}

TEST_F(CNames, OrdinaryNamesStay) {
  Manifest manifest = makeManifest("digits");
  ManifestEntry entry = makeEntry("train_step");
  for (const char *name : {"image", "x", "label", "Loss", "w1", "a.b"})
    entry.feeds.push_back(makeArgument(name, -1));
  for (const char *name : {"NULL", "_Bool", "int", "size_t", "unix", "1x"})
    entry.feeds.push_back(makeArgument(name, -1));
  std::string parameters;
  for (const CParameter &parameter : getCParameters(manifest, entry))
    parameters += parameter.name + " ";
  EXPECT_EQ(parameters,
            "image x label Loss w1 a_b arg_NULL arg__Bool arg_int arg_size_t "
            "arg_unix arg_1x ");
  EXPECT_EQ(getEntrySymbol(manifest, entry), "digits_train_step");
  EXPECT_EQ(getEntrySymbol(makeManifest("int32"), makeEntry("t")),
            "int32_t_entry");
}

} // namespace
