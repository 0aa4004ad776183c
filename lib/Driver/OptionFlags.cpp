//===- OptionFlags.cpp - Options of compilations on command lines ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/OptionFlags.h"
#include "flywheel/Driver/OptionNames.h"

#include "llvm/ADT/STLExtras.h"

#include <string>

namespace cl = llvm::cl;
using llvm::StringRef;

namespace flywheel {

class OptionFlags::Flag : public cl::Option {
public:
  Flag(const OptionInfo &info, cl::OptionCategory &category)
      : cl::Option(info.isList() ? cl::ZeroOrMore : cl::Optional,
                   cl::NotHidden),
        info(info), name(info.getFlag()) {
    setArgStr(takeOptionName(name));
    help = info.help.str();
    if (const OptionInfo *needed = findOption(info.needs))
      help = "With --" + needed->getFlag() + ": " + help;
    setDescription(help);
    setValueStr(info.valueName);
    addCategory(category);
    addArgument();
  }

  const OptionInfo &info;
  std::vector<std::string> texts;

private:
  /// \returns true after an error, as options do.
  bool handleOccurrence(unsigned position, StringRef, StringRef text) override {
    CompilerOptions options;
    for (const std::string &before : texts)
      llvm::cantFail(info.parse(options, before));
    if (llvm::Error wrong = info.parse(options, text))
      return error(llvm::toString(std::move(wrong)));
    texts.push_back(text.str());
    setPosition(position);
    return false;
  }
  cl::ValueExpected getValueExpectedFlagDefault() const override {
    return info.isFlag() ? cl::ValueOptional : cl::ValueRequired;
  }
  size_t getOptionWidth() const override {
    return getPrinter().getOptionWidth(*this);
  }
  void printOptionInfo(size_t width) const override {
    getPrinter().printOptionInfo(*this, width);
  }
  void printOptionValue(size_t, bool) const override {}
  void setDefault() override { texts.clear(); }

  const cl::basic_parser_impl &getPrinter() const {
    if (info.isFlag())
      return flagPrinter;
    return valuePrinter;
  }

  std::string name, help;
  cl::parser<std::string> valuePrinter{*this};
  cl::parser<bool> flagPrinter{*this};
};

OptionFlags::OptionFlags(llvm::ArrayRef<StringRef> names,
                         cl::OptionCategory &category) {
  for (StringRef name : names)
    flags.push_back(std::make_unique<Flag>(*findOption(name), category));
}

OptionFlags::~OptionFlags() = default;

bool OptionFlags::isGiven(StringRef name) const {
  return llvm::any_of(flags, [&](const std::unique_ptr<Flag> &flag) {
    return flag->info.name == name && flag->getNumOccurrences() > 0;
  });
}

llvm::Error OptionFlags::apply(CompilerOptions &options) const {
  for (const std::unique_ptr<Flag> &flag : flags)
    for (const std::string &text : flag->texts)
      if (llvm::Error error = flag->info.parse(options, text))
        return llvm::createStringError("--" + flag->info.getFlag() + ": " +
                                       llvm::toString(std::move(error)));
  return checkOptions(options, [](const OptionInfo &option) {
    return "--" + option.getFlag();
  });
}

} // namespace flywheel
