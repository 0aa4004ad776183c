//===- CFunctions.cpp - The functions that a program in C calls -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"
#include "flywheel/Model/StatusMessage.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace flywheel {

/// `M.report_size(state, size, status) -> i32` stores the size, for the text of
/// the status that it returns.
func::FuncOp EntryPointBuilder::getSizeReporter() {
  if (sizeReporter)
    return sizeReporter;
  OpBuilder::InsertionGuard guard(b);
  sizeReporter = beginFunction(prefix + ".report_size", i32, {ptr, i64, i32});
  Value state = sizeReporter.getArgument(0), size = sizeReporter.getArgument(1),
        found = sizeReporter.getArgument(2);
  emitReturn(emitOnState(state, [&] {
    Value status = emitFirst(checkAlignment(state));
    // Only a block of this model has room for a size.
    status = emitThen(status, [&] {
      if (!manifest.variables.empty())
        return emitFirst(checkHash(state));
      emitAdoption(state);
      return constant(i32, 0);
    });
    return emitThen(status, [&] {
      store(size, state, kStateNumbersOffset);
      return found;
    });
  }));
  return sizeReporter;
}

/// Emits a status that is not 0 if a dimension size of the C interface is above
/// its bound or negative. The text of its message has the size.
Value EntryPointBuilder::emitDimSizeCheck(Value size, Value state,
                                          StringRef name, StringRef entrySymbol,
                                          int64_t bound) {
  int32_t status = getStatus(StatusKind::DimSize,
                             name + " is out of range: expected 0 <= " + name +
                                 " <= " + Twine(bound) + " in '" + entrySymbol +
                                 "', found \1");
  func::FuncOp reporter = getSizeReporter();
  // Unsigned, so that a negative size is too large.
  auto report = [&] {
    return emitCall(reporter, {state, size, constant(i32, status)});
  };
  return emitIf(compare(arith::CmpIPredicate::ugt, size, constant(i64, bound)),
                report, [&] { return constant(i32, 0); });
}

/// Returns `M.kind(status) -> i32`, by which a C function maps the number of a
/// message to that of its kind. emitLastError() emits the table.
func::FuncOp EntryPointBuilder::getKindFunction() {
  if (kindFunction)
    return kindFunction;
  OpBuilder::InsertionGuard guard(b);
  kindFunction = beginFunction(prefix + ".kind", i32, {i32});
  Value table = LLVM::AddressOfOp::create(b, loc, ptr, getKindsName());
  Value index = extend(kindFunction.getArgument(0), i64);
  emitReturn(extend(load(i8, element(i8, table, index)), i32));
  return kindFunction;
}

Value EntryPointBuilder::emitCStatus(Value status) {
  func::FuncOp toKind = getKindFunction();
  // Those below 0 are kinds.
  return emitIf(
      compare(arith::CmpIPredicate::sgt, status, constant(i32, 0)),
      [&] { return emitCall(toKind, status); }, [&] { return status; });
}

void EntryPointBuilder::emitCFunction(const ManifestEntry &entry,
                                      func::FuncOp packed) {
  std::vector<CParameter> parameters = getCParameters(manifest, entry);
  SmallVector<Type> types{ptr};
  for (const CParameter &parameter : parameters)
    types.push_back(parameter.kind == CParameter::Kind::DimSize ? i64 : ptr);
  std::string symbol = getEntrySymbol(manifest, entry);
  func::FuncOp func = beginFunction(symbol, i32, types);
  Value state = func.getArgument(0), team;
  Value feeds = stackSlots(ptr, entry.feeds.size());
  Value dimSizes = stackSlots(i64, entry.symbols.size());
  Value results = stackSlots(ptr, entry.results.size());
  int32_t nullState = getStatus(StatusKind::NullState, getNullStateMessage());

  Value status = emitFirst(Failure{isNull(state), nullState});
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    Value value = func.getArgument(index + 1);
    switch (parameter.kind) {
    case CParameter::Kind::Team:
      team = value;
      break;
    case CParameter::Kind::Feed:
      store(value, element(ptr, feeds, parameter.index));
      break;
    case CParameter::Kind::Result:
      store(value, element(ptr, results, parameter.index));
      break;
    case CParameter::Kind::DimSize:
      status = emitThen(status, [&, parameter = parameter] {
        return emitDimSizeCheck(value, state, parameter.name, symbol,
                                bounds.lookup(entry.symbols[parameter.index]));
      });
      store(value, element(i64, dimSizes, parameter.index));
      break;
    }
  }
  emitReturn(emitCStatus(emitThen(status, [&] {
    Failures failures;
    for (auto [arguments, kind] : {std::make_pair(&entry.feeds, "feed"),
                                   std::make_pair(&entry.results, "result")})
      for (const ManifestArgument &argument : *arguments)
        checkNumBytes(entry, argument, dimSizes,
                      Twine(kind) + " '" + argument.name + "' of '" +
                          entry.name + "' would have more than " +
                          kMaxSizeText + " bytes",
                      failures);
    checkWorkspace(entry, state, feeds, dimSizes, results, failures);
    auto call = [&] {
      Value workspace = offsetBy(state, getCWorkspaceOffset(manifest));
      SmallVector<Value> operands{state, workspace, feeds, dimSizes, results};
      if (team)
        operands.push_back(team);
      return emitCall(packed, operands);
    };
    if (failures.empty())
      return call();
    Value status = emitFirst(failures);
    emitIf(isNot(status, 0), [&] { store(status, state, kStateStatusOffset); });
    return emitThen(status, call);
  })));
}

void EntryPointBuilder::emitCInitializers(const ManifestEntry &entry,
                                          func::FuncOp packed) {
  for (bool isSelective : {false, true}) {
    SmallVector<Type> types{ptr, i64};
    if (isSelective)
      types.push_back(ptr);
    func::FuncOp func = beginFunction(getEntrySymbol(manifest, entry) +
                                          (isSelective ? "_some" : ""),
                                      i32, types);
    Value state = func.getArgument(0);
    Value feeds = stackSlots(ptr, 2), seed = stackSlots(i64, 1);
    Value select = isSelective ? func.getArgument(2) : nullPointer();
    store(func.getArgument(1), seed);
    store(seed, element(ptr, feeds, int64_t{0}));
    store(select, element(ptr, feeds, 1));
    emitReturn(emitCStatus(emitOnState(state, [&] {
      Value status = constant(i32, 0);
      if (isSelective)
        status = emitFirst(Failure{
            isNull(select),
            getStatus(StatusKind::NullArgument,
                      "expected a byte for each variable as 'select', found a "
                      "null pointer")});
      return emitThen(status, [&] {
        Value workspace = offsetBy(state, getCWorkspaceOffset(manifest));
        return emitCall(
            packed, {state, workspace, feeds, nullPointer(), nullPointer()});
      });
    })));
  }
}

} // namespace flywheel
