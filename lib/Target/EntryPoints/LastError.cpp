//===- LastError.cpp - The text of the last error -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Model/StatusMessage.h"

using namespace mlir;

namespace flywheel {

/// The first byte of a text that names numbers.
static constexpr char kFormatMark = kMaxNumbers + 1;

namespace {
/// All texts, each with its terminator, in one array and their offsets in
/// another: nothing for a dynamic linker to relocate. Text 0 is "".
struct Texts {
  explicit Texts(const Manifest &manifest) {
    for (const ManifestMessage &message : manifest.messages) {
      offsets.push_back(static_cast<int32_t>(bytes.size()));
      if (hasNumbers(message.text))
        bytes += kFormatMark;
      haveNumbers |= hasNumbers(message.text);
      bytes += message.text;
      bytes += '\0';
    }
  }

  std::string bytes = std::string(1, '\0');
  SmallVector<int32_t> offsets{0};
  bool haveNumbers = false;
};
} // namespace

void EntryPointBuilder::emitLastError() {
  // The header uses these messages without a call.
  getStatus(StatusKind::NotInitialized, getNotInitializedMessage(manifest));
  int32_t nullState = getStatus(StatusKind::NullState, getNullStateMessage());
  Texts texts(manifest);
  func::FuncOp formatter;
  if (texts.haveNumbers)
    formatter = emitFormatter();
  LLVM::GlobalOp textGlobal = addText(prefix + ".texts", texts.bytes);
  LLVM::GlobalOp offsetGlobal =
      addTable<int32_t>(prefix + ".text_offsets", texts.offsets);
  // The kind of each status, including 0.
  SmallVector<int8_t> kinds{0};
  for (const ManifestMessage &message : manifest.messages)
    kinds.push_back(static_cast<int8_t>(message.kind));
  addTable<int8_t>(getKindsName(), kinds);

  func::FuncOp func = beginFunction(prefix + "_last_error", ptr, {ptr});
  Value state = func.getArgument(0);
  auto lookUp = [&](Value status) {
    Value index = extend(status, i64);
    Value offset = load(i32, element(i32, getAddressOf(offsetGlobal), index));
    Value text = element(i8, getAddressOf(textGlobal), extend(offset, i64));
    if (!texts.haveNumbers)
      return text;
    return emitIf(
        isEqual(load(i8, text), constant(i8, kFormatMark)),
        [&] { return emitCall(formatter, {offsetBy(text, 1), state}); },
        [&] { return text; });
  };
  emitReturn(emitIf(
      isNull(state), [&] { return lookUp(constant(i32, nullState)); },
      [&] {
        // A block that no call has seen may hold anything.
        Value status = load(i32, state, kStateStatusOffset);
        Value isOwn =
            both(emitIsAdopted(state),
                 compare(arith::CmpIPredicate::slt, status, constant(i32, 0)));
        return emitIf(
            isOwn,
            [&] {
              // The text that the header has stored.
              return offsetBy(state,
                              getStateTextOffset(manifest.variables.size()));
            },
            [&] {
              Value isKnown = compare(arith::CmpIPredicate::ult, status,
                                      constant(i32, texts.offsets.size()));
              return lookUp(select(isKnown, status, constant(i32, 0)));
            });
      }));
}

} // namespace flywheel
