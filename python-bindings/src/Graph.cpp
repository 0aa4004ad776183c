//===- Graph.cpp - A module that Python builds ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Errors.h"

#include "flywheel/Interfaces/Captures.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <nanobind/stl/string.h>
#include <numeric>

#include <frameobject.h>

namespace nb = nanobind;
using namespace mlir;

namespace flywheel::python {

void throwDiagnostics(const DiagnosticCollector &diagnostics) {
  throwCompileError(takeErrors(diagnostics, "the op is not well formed"));
}

Graph::Graph(const std::string &name, std::string package)
    : context(createContext()), printer(std::make_shared<DiagnosticPrinter>()),
      builder(context.get()), package(std::move(package)) {
  context->printOpOnDiagnostic(false);
  for (StringRef dialect :
       {"arith", "func", "linalg", "math", "nn", "scf", "tensor", "train"})
    context->getOrLoadDialect(dialect);
  module = ModuleOp::create(builder.getUnknownLoc(), name);
}

Graph::~Graph() {
  while (!frames.empty())
    abandonRegion();
  dropFinished(0);
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// Returns the line and the column that a frame is at.
static std::pair<int, int> getPlace(PyFrameObject *frame, PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030B0000
  int line = 0, column = 0, endLine = 0, endColumn = 0;
  if (PyCode_Addr2Location(code, PyFrame_GetLasti(frame), &line, &column,
                           &endLine, &endColumn))
    return {std::max(line, 0), std::max(column + 1, 0)};
#endif
  return {PyFrame_GetLineNumber(frame), 0};
}

void Graph::setPlace(const std::string &name, uint32_t number) {
  givenPlace = name.empty() ? LocationAttr()
                            : LocationAttr(FileLineColLoc::get(
                                  getContext(), StringRef(name), number, 0));
}

Location Graph::findLocation() const {
  if (givenPlace)
    return Location(givenPlace);
  constexpr size_t maxCalls = 16;
  SmallVector<Location> calls;
  nb::object frame =
      nb::borrow(reinterpret_cast<PyObject *>(PyEval_GetFrame()));
  while (frame.ptr() && calls.size() < maxCalls) {
    auto *current = reinterpret_cast<PyFrameObject *>(frame.ptr());
    nb::object owner =
        nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(current)));
    auto *code = reinterpret_cast<PyCodeObject *>(owner.ptr());
    const char *file = PyUnicode_AsUTF8(code->co_filename);
    if (!file)
      PyErr_Clear();
    else if (!StringRef(file).starts_with(package)) {
      auto [line, column] = getPlace(current, code);
      Location place =
          FileLineColLoc::get(getContext(), StringRef(file), line, column);
      if (const char *name = PyUnicode_AsUTF8(code->co_name))
        place = NameLoc::get(StringAttr::get(getContext(), name), place);
      calls.push_back(place);
    } else if (!calls.empty()) {
      // Whoever called the user's function is not the user.
      break;
    }
    frame = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetBack(current)));
  }
  if (calls.empty())
    return UnknownLoc::get(getContext());
  Location location = calls.back();
  for (Location callee : llvm::reverse(ArrayRef(calls).drop_back()))
    location = CallSiteLoc::get(callee, location);
  return location;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

bool Graph::isLive(uint64_t scope) const {
  if (function && scope == functionScope)
    return true;
  return llvm::any_of(frames,
                      [&](const Frame &frame) { return frame.scope == scope; });
}

Value Graph::get(const PyValue &value) const {
  if (value.graph.get() != this || !isLive(value.scope))
    throwCompileError(
        "a tensor is used outside of where it was made: return it from "
        "the function, branch or loop that computes it");
  return value.value;
}

PyValue Graph::wrap(Value value) {
  return {shared_from_this(), value,
          frames.empty() ? functionScope : frames.back().scope};
}

static SmallVector<Value> getAll(const Graph &graph,
                                 const std::vector<PyValue *> &values) {
  return llvm::map_to_vector(
      values, [&](const PyValue *value) { return graph.get(*value); });
}

static SmallVector<Type> getTypes(const std::vector<PyType *> &types) {
  return llvm::map_to_vector(types,
                             [](const PyType *type) { return type->type; });
}

//===----------------------------------------------------------------------===//
// Functions and regions
//===----------------------------------------------------------------------===//

std::vector<PyValue> Graph::beginFunction(const std::string &name,
                                          const std::vector<PyType *> &types,
                                          nb::dict attributes,
                                          nb::list argumentAttributes) {
  if (function)
    throwCompileError("a function is being traced in this graph already");
  Location location = findLocation();
  builder.setInsertionPointToEnd(module->getBody());
  auto type = builder.getFunctionType(getTypes(types), {});
  function = func::FuncOp::create(builder, location, name, type);
  for (NamedAttribute attribute : makeAttributes(attributes))
    function->setAttr(attribute.getName(), attribute.getValue());
  for (size_t index = 0; index < argumentAttributes.size(); ++index)
    function.setArgAttrs(
        index, makeAttributes(nb::cast<nb::dict>(argumentAttributes[index])));
  functionScope = nextScope++;
  builder.setInsertionPointToStart(function.addEntryBlock());
  std::vector<PyValue> arguments;
  for (Value argument : function.getArguments())
    arguments.push_back(wrap(argument));
  return arguments;
}

void Graph::annotateFunction(nb::dict attributes) {
  if (!function)
    throwCompileError("no function is being traced in this graph");
  for (NamedAttribute attribute : makeAttributes(attributes))
    function->setAttr(attribute.getName(), attribute.getValue());
}

void Graph::endFunction(const std::vector<PyValue *> &results,
                        nb::list resultAttributes) {
  if (!function || !frames.empty())
    throwCompileError("no function is being traced in this graph");
  SmallVector<Value> values = getAll(*this, results);
  func::ReturnOp::create(builder, function.getLoc(), values);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           ValueRange(values).getTypes()));
  for (size_t index = 0; index < resultAttributes.size(); ++index)
    function.setResultAttrs(
        index, makeAttributes(nb::cast<nb::dict>(resultAttributes[index])));
  DiagnosticCollector diagnostics(getContext(), *printer);
  if (failed(verify(function)))
    throwDiagnostics(diagnostics);
  function = nullptr;
  functionScope = 0;
}

void Graph::abandonFunction() {
  while (!frames.empty())
    abandonRegion();
  dropFinished(functionScope);
  if (function)
    function.erase();
  function = nullptr;
  functionScope = 0;
}

std::vector<PyValue> Graph::beginRegion(const std::vector<PyType *> &types) {
  frames.push_back(
      {builder.saveInsertionPoint(), std::make_unique<Region>(), nextScope++});
  Location location = findLocation();
  SmallVector<Type> all = getTypes(types);
  Block *block =
      builder.createBlock(frames.back().region.get(), {}, all,
                          SmallVector<Location>(all.size(), location));
  std::vector<PyValue> arguments;
  for (Value argument : block->getArguments())
    arguments.push_back(wrap(argument));
  return arguments;
}

PyRegion Graph::endRegion(const std::string &terminator,
                          const std::vector<PyValue *> &results) {
  if (frames.empty())
    throwCompileError("no region is open in this graph");
  OperationState state(findLocation(), terminator);
  state.addOperands(getAll(*this, results));
  // Verified with the op that takes the region.
  builder.create(state);
  Frame frame = std::move(frames.back());
  frames.pop_back();
  builder.restoreInsertionPoint(frame.outer);
  finished[frame.scope] = std::move(frame.region);
  return {shared_from_this(), frame.scope};
}

PyRegion Graph::makeEmptyRegion() {
  finished[nextScope] = std::make_unique<Region>();
  return {shared_from_this(), nextScope++};
}

void Graph::abandonRegion() {
  if (frames.empty())
    return;
  dropFinished(frames.back().scope);
  builder.restoreInsertionPoint(frames.back().outer);
  frames.back().region->dropAllReferences();
  frames.pop_back();
}

Region &Graph::lookup(const PyRegion &region) const {
  auto found = finished.find(region.scope);
  if (region.graph.get() != this || found == finished.end())
    throwCompileError("a region is of another graph, or taken already");
  return *found->second;
}

std::unique_ptr<Region> Graph::take(const PyRegion &region) {
  checkCaptures(lookup(region));
  std::unique_ptr<Region> taken = std::move(finished[region.scope]);
  finished.erase(region.scope);
  return taken;
}

void Graph::checkCaptures(Region &region) {
  for (Value capture : findCaptures(region)) {
    Region *parent = capture.getParentRegion();
    bool isOpen = (function && parent == &function.getBody()) ||
                  llvm::any_of(frames, [&](const Frame &frame) {
                    return frame.region.get() == parent;
                  });
    if (!isOpen)
      throwCompileError("a region uses a value of a region that has ended");
  }
}

void Graph::dropFinished(uint64_t scope) {
  // The later ones may use values of the others.
  for (auto it = finished.upper_bound(scope); it != finished.end(); ++it)
    it->second->dropAllReferences();
  finished.erase(finished.upper_bound(scope), finished.end());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Infers the result types of the op, or throws if it does not infer them.
static void inferTypes(OperationState &state, RegisteredOperationName info,
                       DiagnosticCollector &diagnostics) {
  auto *interface = info.getInterface<InferTypeOpInterface>();
  if (!interface)
    throwCompileError("'" + state.name.getStringRef().str() +
                      "' does not infer the types of its results: give them");
  MLIRContext *context = state.getContext();
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  // Ops look their operands up by these numbers.
  if (info.hasTrait<OpTrait::AttrSizedOperandSegments>()) {
    auto segments = attributes.getAs<DenseI32ArrayAttr>("operandSegmentSizes");
    auto sizes = segments ? segments.asArrayRef() : ArrayRef<int32_t>();
    int64_t sum = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
    if (sizes.empty() || sizes.front() < 1 ||
        llvm::any_of(sizes, [](int32_t size) { return size < 0; }) ||
        sum != static_cast<int64_t>(state.operands.size()))
      throwCompileError("'" + state.name.getStringRef().str() +
                        "' has segments of operands that do not fit");
  }
  std::vector<char> storage(info.getOpPropertyByteSize());
  OpaqueProperties properties(storage.empty() ? nullptr : storage.data());
  if (properties)
    info.initOpProperties(properties, OpaqueProperties(nullptr));
  llvm::scope_exit destroy([&] {
    if (properties)
      info.destroyOpProperties(properties);
  });
  auto emitError = [&] { return mlir::emitError(state.location); };
  if (properties && failed(info.setOpPropertiesFromAttribute(
                        state.name, properties, attributes, emitError)))
    throwDiagnostics(diagnostics);
  SmallVector<Type> types;
  if (failed(interface->inferReturnTypes(context, state.location,
                                         state.operands, attributes, properties,
                                         state.regions, types)))
    throwDiagnostics(diagnostics);
  state.addTypes(types);
}

std::vector<PyValue> Graph::createOp(const std::string &name,
                                     const std::vector<PyValue *> &operands,
                                     nb::handle results, nb::dict attributes,
                                     const std::vector<PyRegion *> &regions,
                                     bool isTopLevel) {
  DiagnosticCollector diagnostics(getContext(), *printer);
  if (!function && frames.empty() && !isTopLevel)
    throwCompileError("no function is being traced in this graph");
  context->getOrLoadDialect(StringRef(name).split('.').first);
  std::optional<RegisteredOperationName> info =
      RegisteredOperationName::lookup(name, getContext());
  if (!info)
    throwCompileError("there is no op '" + name + "'");
  if (isTopLevel && !operands.empty())
    throwCompileError("'" + name +
                      "' is outside of functions and has no operands");
  OperationState state(findLocation(), *info);
  state.addOperands(getAll(*this, operands));
  state.addAttributes(makeAttributes(attributes).getAttrs());
  uint64_t firstScope = nextScope;
  for (PyRegion *region : regions) {
    if (isTopLevel && !findCaptures(lookup(*region)).empty())
      throwCompileError("'" + name +
                        "' is outside of functions and uses a value of "
                        "one");
    firstScope = std::min(firstScope, region->scope);
  }
  // Regions that began inside of these may use their values: drops them too.
  llvm::scope_exit dropNested([&] { dropFinished(firstScope); });
  for (PyRegion *region : regions)
    state.addRegion(take(*region));
  if (results.is_none())
    inferTypes(state, *info, diagnostics);
  else
    for (nb::handle type : nb::iter(results))
      state.addTypes(nb::cast<PyType &>(type).type);

  Operation *op = Operation::create(state);
  OpBuilder::InsertionGuard guard(builder);
  if (isTopLevel) {
    Block *body = module->getBody();
    auto first = llvm::find_if(
        *body, [](Operation &other) { return isa<func::FuncOp>(other); });
    builder.setInsertionPoint(body, first);
  }
  builder.insert(op);
  // In a region that is not finished, the ops around it are not ancestors yet,
  // so that no value dominates: uses are verified with the outermost op.
  bool isNested = op->getNumRegions() != 0 && !frames.empty();
  bool isValid = isNested ? succeeded(info->verifyInvariants(op)) &&
                                succeeded(info->verifyRegionInvariants(op))
                          : succeeded(verify(op, op->getNumRegions() != 0));
  if (!isValid) {
    dropFinished(firstScope);
    op->erase();
    throwDiagnostics(diagnostics);
  }
  dropNested.release();
  std::vector<PyValue> values;
  for (Value result : op->getResults())
    values.push_back(wrap(result));
  return values;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

std::unique_ptr<PyModule> Graph::finish() {
  if (function || !frames.empty())
    throwCompileError("a function of this graph is still being traced");
  DiagnosticCollector diagnostics(getContext(), *printer);
  if (failed(verify(*module)))
    throwDiagnostics(diagnostics);
  auto result = std::make_unique<PyModule>();
  result->context = context;
  result->printer = printer;
  result->module = OwningOpRef<ModuleOp>(module->clone());
  return result;
}

} // namespace flywheel::python
