//===- Codegen.cpp - The codegen dialect ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "flywheel/Analysis/Contraction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::codegen;

#include "flywheel/Dialect/Codegen/CodegenDialect.cpp.inc"
#include "flywheel/Dialect/Codegen/CodegenInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Lists of lists
//===----------------------------------------------------------------------===//

/// Parses `[[0, 32, 0], [8, 0, 0]]`.
static ParseResult parseTiles(AsmParser &parser,
                              SmallVectorImpl<DenseI64ArrayAttr> &tiles) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    Attribute sizes = DenseI64ArrayAttr::parse(parser, Type());
    if (!sizes)
      return failure();
    tiles.push_back(cast<DenseI64ArrayAttr>(sizes));
    return success();
  });
}

static void printTiles(AsmPrinter &printer, ArrayRef<DenseI64ArrayAttr> tiles) {
  printer << "[";
  llvm::interleaveComma(tiles, printer,
                        [&](DenseI64ArrayAttr sizes) { sizes.print(printer); });
  printer << "]";
}

#define GET_ATTRDEF_CLASSES
#include "flywheel/Dialect/Codegen/CodegenAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "flywheel/Dialect/Codegen/CodegenOps.cpp.inc"

//===----------------------------------------------------------------------===//
// CPUAttr
//===----------------------------------------------------------------------===//

LogicalResult CPUAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t vectorBits, int64_t vectorRegisters,
                              int64_t l1Bytes, int64_t l2Bytes, int64_t cores,
                              ArrayAttr features) {
  // Bytes are the lanes of the longest vectors, of which a schedule has 256.
  constexpr int64_t kMinVectorBits = 64, kMaxVectorBits = 2048;
  if (vectorBits < kMinVectorBits || vectorBits > kMaxVectorBits ||
      !llvm::isPowerOf2_64(vectorBits) || vectorRegisters < 4)
    return emitError() << "expected a power of two of " << kMinVectorBits
                       << " to " << kMaxVectorBits
                       << " vector bits and at least 4 vector registers, found "
                       << vectorBits << " and " << vectorRegisters;
  constexpr int64_t kMaxCacheBytes = int64_t{1} << 32;
  if (l1Bytes < 1024 || l2Bytes < l1Bytes || l2Bytes > kMaxCacheBytes)
    return emitError()
           << "expected a cache of at least 1024 bytes and a second "
              "one that is not smaller, of at most "
           << kMaxCacheBytes << ", found " << l1Bytes << " and " << l2Bytes;
  if (cores < 1)
    return emitError() << "expected at least one core, found " << cores;
  for (Attribute feature : features)
    if (!isa<StringAttr>(feature))
      return emitError() << "expected names of features, found " << feature;
  return success();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Returns the structured op that `op` is; emits an error and returns null for
/// others. MLIR verifies attributes before the op itself: the loops of a
/// malformed op must not be queried.
static linalg::LinalgOp getStructured(Operation *op, Attribute schedule) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    op->emitOpError() << "expected a structured op for the schedule "
                      << schedule;
  else if (failed(op->getName().verifyInvariants(op)))
    return {};
  return structured;
}

/// Emits an error at `op` and fails if `loop` is not a loop of `op` of this
/// kind.
static LogicalResult verifyLoop(linalg::LinalgOp op, int64_t loop,
                                utils::IteratorType kind, StringRef role) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (loop < 0 || loop >= static_cast<int64_t>(iterators.size()))
    return op.emitOpError() << "expected one of " << iterators.size()
                            << " loops as " << role << ", found " << loop;
  if (iterators[loop] != kind)
    return op.emitOpError()
           << "expected a " << utils::stringifyIteratorType(kind) << " loop as "
           << role << ", found loop " << loop;
  return success();
}

LogicalResult FMAAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<DenseI64ArrayAttr> tiles,
                              DenseI64ArrayAttr rows, int64_t columns,
                              DenseI64ArrayAttr registers,
                              std::optional<int64_t> along,
                              DenseI64ArrayAttr passes,
                              std::optional<int64_t> block, bool, bool pack,
                              int64_t workers) {
  if (static_cast<int64_t>(tiles.size()) > kMaxLevels)
    return emitError() << "expected at most " << kMaxLevels
                       << " levels of tiles, found " << tiles.size();
  for (DenseI64ArrayAttr sizes : tiles)
    if (llvm::any_of(sizes.asArrayRef(),
                     [&](int64_t size) { return size < 0 || size > kMaxTile; }))
      return emitError() << "expected tiles of 0 to " << kMaxTile
                         << " iterations, found " << sizes;
  if (registers.size() != 2 || registers[0] < 1 || registers[1] < 1)
    return emitError() << "expected a number of rows and one of columns in "
                          "registers, found "
                       << registers;
  // Every element of the tile is an op of the kernel.
  constexpr int64_t kMaxElements = 4096;
  if (registers[0] > kMaxElements || registers[1] > kMaxElements ||
      registers[0] * registers[1] > kMaxElements)
    return emitError() << "expected at most " << kMaxElements
                       << " elements in registers, found " << registers;
  llvm::SmallDenseSet<int64_t> seen = {columns};
  for (DenseI64ArrayAttr loops : {rows, passes})
    for (int64_t loop : loops ? loops.asArrayRef() : ArrayRef<int64_t>())
      if (!seen.insert(loop).second)
        return emitError() << "expected each loop in one role, found loop "
                           << loop << " in two";
  if (along && !seen.insert(*along).second)
    return emitError() << "expected each loop in one role, found loop "
                       << *along << " in two";
  constexpr int64_t kMaxBlock = 64;
  if (block && (*block < 1 || *block > kMaxBlock))
    return emitError() << "expected blocks of 1 to " << kMaxBlock
                       << " iterations of a reduction, found " << *block;
  if (block && along)
    return emitError() << "expected no blocks of a reduction where lanes are "
                          "along one, found "
                       << *block;
  if (along && pack)
    return emitError() << "expected no panel to pack where lanes are along a "
                          "reduction, found one";
  if (pack && tiles.size() < 2)
    return emitError() << "expected two levels of tiles to pack a panel that "
                          "the inner one reads, found "
                       << tiles.size();
  if (workers < 1)
    return emitError() << "expected at least one worker, found " << workers;
  return success();
}

int64_t FMAAttr::getTileSize(int64_t loop, int64_t size) const {
  for (DenseI64ArrayAttr sizes : getTiles())
    if (int64_t tile = sizes[loop])
      size = ShapedType::isDynamic(size) ? tile : std::min(size, tile);
  return size;
}

FMAAttr FMAAttr::getRegisterPart() const {
  return get(getContext(), /*tiles=*/{}, getRows(), getColumns(),
             getRegisters(), getAlong(), getPasses(), getBlock(), getPairs(),
             /*pack=*/false, getWorkers());
}

/// Emits an error at `op` and fails if the kernel that `schedule` describes has
/// too many elements of C in its code: each is an op.
static LogicalResult verifyUnrolling(linalg::LinalgOp op, FMAAttr schedule) {
  constexpr int64_t kMaxUnrolled = 16384;
  // The rows of one loop are a loop over those in registers.
  ArrayRef<int64_t> rows = schedule.getRows();
  if (rows.size() < 2)
    return success();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t numRows = 1, columns = schedule.getRegisters()[1];
  for (int64_t row : rows) {
    int64_t size = schedule.getTileSize(row, sizes[row]);
    if (!ShapedType::isDynamic(size) &&
        llvm::MulOverflow(numRows, size, numRows))
      numRows = std::numeric_limits<int64_t>::max();
  }
  if (numRows <= kMaxUnrolled / columns)
    return success();
  return op.emitOpError() << "expected at most " << kMaxUnrolled
                          << " elements in unrolled rows of several loops, "
                             "found "
                          << numRows << " rows of " << columns << " columns";
}

LogicalResult FMAAttr::verifySchedule(Operation *op) const {
  linalg::LinalgOp structured = getStructured(op, *this);
  if (!structured)
    return failure();
  using utils::IteratorType;
  unsigned numLoops = structured.getNumLoops();
  for (DenseI64ArrayAttr sizes : getTiles()) {
    if (sizes.size() != numLoops)
      return op->emitOpError() << "expected a tile size for each of "
                               << numLoops << " loops, found " << sizes;
    for (auto [loop, size] : llvm::enumerate(sizes.asArrayRef()))
      if (size != 0 &&
          failed(verifyLoop(structured, loop, IteratorType::parallel, "tiled")))
        return failure();
  }
  for (int64_t row : getRows().asArrayRef())
    if (failed(verifyLoop(structured, row, IteratorType::parallel, "rows")))
      return failure();
  if (DenseI64ArrayAttr passes = getPasses())
    for (int64_t pass : passes.asArrayRef())
      if (failed(
              verifyLoop(structured, pass, IteratorType::reduction, "passes")))
        return failure();
  if (failed(verifyLoop(structured, getColumns(), IteratorType::parallel,
                        "columns")))
    return failure();
  if (getAlong() && failed(verifyLoop(structured, *getAlong(),
                                      IteratorType::reduction, "lanes")))
    return failure();
  return verifyUnrolling(structured, *this);
}

LogicalResult VectorAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t along, int64_t lanes,
                                 std::optional<int64_t> transpose,
                                 int64_t interleave) {
  constexpr int64_t kMaxLanes = 256;
  if (lanes < 1 || lanes > kMaxLanes || !llvm::isPowerOf2_64(lanes))
    return emitError() << "expected a power of two of up to " << kMaxLanes
                       << " lanes, found " << lanes;
  constexpr int64_t kMaxInterleave = 32;
  if (interleave < 1 || interleave > kMaxInterleave)
    return emitError() << "expected 1 to " << kMaxInterleave
                       << " vectors in 'interleave', found " << interleave;
  if (transpose == along)
    return emitError() << "expected another loop to transpose than that along "
                          "the lanes, found "
                       << along;
  return success();
}

LogicalResult VectorAttr::verifySchedule(Operation *op) const {
  linalg::LinalgOp structured = getStructured(op, *this);
  if (!structured)
    return failure();
  int64_t numLoops = structured.getNumLoops();
  for (std::optional<int64_t> loop :
       {std::optional<int64_t>(getAlong()), getTranspose()})
    if (loop && (*loop < 0 || *loop >= numLoops))
      return op->emitOpError() << "expected one of " << numLoops << " loops in "
                               << *this << ", found " << *loop;
  return success();
}

LogicalResult LoopsAttr::verifySchedule(Operation *op) const {
  return success(getStructured(op, *this) != nullptr);
}

LogicalResult BlockAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringAttr unit, DenseI64ArrayAttr tile,
                                int64_t depth, int64_t stages) {
  if (unit != "fma" && unit != "mma")
    return emitError() << "expected 'fma' or 'mma' as the unit, found '"
                       << unit.getValue() << "'";
  if (llvm::any_of(tile.asArrayRef(),
                   [](int64_t size) { return size < 0 || size > kMaxSide; }))
    return emitError() << "expected a tile of 0 to " << kMaxSide
                       << " iterations of each loop, found " << tile;
  if (depth < 8 || depth > kMaxDepth || !llvm::isPowerOf2_64(depth))
    return emitError() << "expected a power of two of 8 to " << kMaxDepth
                       << " terms as the depth, found " << depth;
  if (stages < 2 || stages > kMaxStages)
    return emitError() << "expected 2 to " << kMaxStages << " stages, found "
                       << stages;
  return success();
}

LogicalResult BlockAttr::verifySchedule(Operation *op) const {
  linalg::LinalgOp structured = getStructured(op, *this);
  if (!structured)
    return failure();
  if (!isContraction(structured))
    return op->emitOpError()
           << "expected C + A * B of floats for the schedule " << *this;
  ArrayRef<int64_t> sizes = getTile();
  if (sizes.size() != structured.getNumLoops())
    return op->emitOpError()
           << "expected a tile size for each of " << structured.getNumLoops()
           << " loops, found " << getTile();
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (size != 0 && failed(verifyLoop(structured, loop,
                                       utils::IteratorType::parallel, "tiled")))
      return failure();
  if (!usesTensorCores())
    return success();
  Type factor = getFactorType(structured, 0);
  Type sum = getElementTypeOrSelf(structured.getDpsInits().front().getType());
  if (factor != getFactorType(structured, 1) || !sum.isF32() ||
      !(factor.isF16() || factor.isBF16() || factor.isF32()))
    return op->emitOpError()
           << "expected factors of one of f16, bf16 and f32 and sums of f32 "
              "for "
              "tensor cores, found "
           << factor << ", " << getFactorType(structured, 1) << " and " << sum;
  int64_t least = factor.isF32() ? 8 : 16;
  if (getDepth() % least != 0)
    return op->emitOpError() << "expected a multiple of " << least
                             << " terms as the depth, found " << getDepth();
  return success();
}

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

void CodegenDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "flywheel/Dialect/Codegen/CodegenAttributes.cpp.inc"
      >();
}

void CodegenDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "flywheel/Dialect/Codegen/CodegenOps.cpp.inc"
      >();
}

/// Returns true if loop `loop` of `tiles` ends with a smaller tile than it
/// starts with.
static bool hasPartialLastTile(scf::ForallOp tiles, int64_t loop) {
  std::optional<int64_t> size =
      getConstantIntValue(tiles.getMixedUpperBound()[loop]);
  std::optional<int64_t> tile = getConstantIntValue(tiles.getMixedStep()[loop]);
  return getConstantIntValue(tiles.getMixedLowerBound()[loop]) == 0 && size &&
         tile && *size > *tile && *size % *tile != 0;
}

LogicalResult CodegenDialect::verifyOperationAttribute(Operation *op,
                                                       NamedAttribute named) {
  if (named.getName() == getTargetAttrName()) {
    if (!isa<ModuleOp>(op))
      return op->emitOpError()
             << "expected '" << named.getName().getValue() << "' on a module";
    if (!isa<TargetAttrInterface>(named.getValue()))
      return op->emitOpError()
             << "expected a target such as #codegen.cpu<...> as '"
             << named.getName().getValue() << "', found " << named.getValue();
    return success();
  }
  if (named.getName() == getScheduleAttrName()) {
    auto schedule = dyn_cast<ScheduleAttrInterface>(named.getValue());
    if (!schedule)
      return op->emitOpError()
             << "expected a schedule such as #codegen.fma<...> as '"
             << named.getName().getValue() << "', found " << named.getValue();
    return schedule.verifySchedule(op);
  }
  if (named.getName() == getWorkersAttrName()) {
    auto count = dyn_cast<IntegerAttr>(named.getValue());
    if (!isa<FunctionOpInterface>(op) || !count ||
        !count.getType().isInteger(64) || count.getInt() < 1 ||
        count.getInt() > kMaxWorkers)
      return op->emitOpError() << "expected 1 to " << kMaxWorkers
                               << ", an i64, as '" << named.getName().getValue()
                               << "' of a function, found " << named.getValue();
    return success();
  }
  if (named.getName() == getPrivateAttrName()) {
    if (!isa<memref::AllocOp>(op) || !isa<UnitAttr>(named.getValue()))
      return op->emitOpError()
             << "expected '" << named.getName().getValue()
             << "', without a value, on 'memref.alloc', found "
             << named.getValue();
    return success();
  }
  if (named.getName() == getPanelAttrName()) {
    if (!isa<linalg::CopyOp>(op) || !isa<UnitAttr>(named.getValue()))
      return op->emitOpError() << "expected '" << named.getName().getValue()
                               << "', without a value, on 'linalg.copy', found "
                               << named.getValue();
    return success();
  }
  if (named.getName() == getOverlapAttrName()) {
    auto loops = dyn_cast<DenseI64ArrayAttr>(named.getValue());
    auto tiles = dyn_cast<scf::ForallOp>(op);
    if (!tiles || !loops ||
        !llvm::all_of(loops.asArrayRef(), [&](int64_t loop) {
          return loop >= 0 && loop < tiles.getRank() &&
                 hasPartialLastTile(tiles, loop);
        }))
      return op->emitOpError()
             << "expected loops of an 'scf.forall', from 0 on, of static sizes "
                "that are above a tile and no multiple of it, as '"
             << named.getName().getValue() << "', found " << named.getValue();
    return success();
  }
  if (named.getName() == getWorkAttrName() ||
      named.getName() == getSetAttrName()) {
    auto number = dyn_cast<IntegerAttr>(named.getValue());
    if (!number || !number.getType().isInteger(64) || number.getInt() < 0)
      return op->emitOpError()
             << "expected an i64 of at least 0 as '"
             << named.getName().getValue() << "', found " << named.getValue();
    return success();
  }
  if (named.getName() == getWorkTableAttrName()) {
    if (!isa<FunctionOpInterface>(op) || !isa<ArrayAttr>(named.getValue()))
      return op->emitOpError()
             << "expected an array as '" << named.getName().getValue()
             << "' of a function, found " << named.getValue();
    return success();
  }
  if (named.getName() == getContractionsAttrName()) {
    auto count = dyn_cast<IntegerAttr>(named.getValue());
    if (!isa<FunctionOpInterface>(op) || !count ||
        !count.getType().isInteger(64) || count.getInt() < 1)
      return op->emitOpError() << "expected an i64 of at least 1 as '"
                               << named.getName().getValue()
                               << "' of a function, found " << named.getValue();
    return success();
  }
  if (named.getName() == getAlongAttrName()) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    auto map = dyn_cast<AffineMapAttr>(named.getValue());
    if (!structured || !map ||
        map.getValue().getNumResults() != structured.getNumLoops())
      return op->emitOpError()
             << "expected a map to an iteration of a structured op as '"
             << named.getName().getValue() << "', found " << named.getValue();
    return success();
  }
  if (named.getName() == getTrafficAttrName()) {
    auto list = dyn_cast<ArrayAttr>(named.getValue());
    if (!isa<TrafficAttr>(named.getValue()) &&
        !(list && llvm::all_of(list, llvm::IsaPred<TrafficAttr>)))
      return op->emitOpError()
             << "expected #codegen.traffic<...>, or a list of these, as '"
             << named.getName().getValue() << "', found " << named.getValue();
    return success();
  }
  return op->emitOpError() << "expected '" << getTargetAttrName() << "', '"
                           << getScheduleAttrName() << "', '"
                           << getWorkersAttrName() << "', '"
                           << getPrivateAttrName() << "', '"
                           << getPanelAttrName() << "', '"
                           << getOverlapAttrName() << "', '"
                           << getWorkAttrName() << "', '"
                           << getWorkTableAttrName() << "', '"
                           << getContractionsAttrName() << "', '"
                           << getAlongAttrName() << "', '" << getSetAttrName()
                           << "' or '" << getTrafficAttrName() << "', found '"
                           << named.getName().getValue() << "'";
}

LogicalResult CodegenDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                       unsigned number,
                                                       NamedAttribute named) {
  return op->emitOpError() << "expected no '" << named.getName().getValue()
                           << "' on argument " << number;
}

LogicalResult CodegenDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned number, NamedAttribute named) {
  return op->emitOpError() << "expected no '" << named.getName().getValue()
                           << "' on result " << number;
}

bool CPUAttr::hasMultiplyAdd() const {
  return llvm::any_of(
      getFeatures().getAsRange<StringAttr>(),
      [](StringAttr feature) { return feature == "fma" || feature == "neon"; });
}

bool CPUAttr::hasHostStack() const { return true; }

TargetAttrInterface flywheel::codegen::lookupTarget(Operation *op) {
  auto module =
      isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  Attribute target;
  for (; module && !target; module = module->getParentOfType<ModuleOp>())
    target = module->getAttr(CodegenDialect::getTargetAttrName());
  return dyn_cast_if_present<TargetAttrInterface>(target);
}

CPUAttr flywheel::codegen::lookupCPU(Operation *op) {
  return dyn_cast_if_present<CPUAttr>(lookupTarget(op));
}

GPUAttr flywheel::codegen::lookupGPU(Operation *op) {
  return dyn_cast_if_present<GPUAttr>(lookupTarget(op));
}

bool GPUAttr::isAtLeast(unsigned generation) const {
  unsigned number = 0;
  StringRef rest = getChip().getValue();
  rest.consume_front("sm_");
  return !rest.consumeInteger(10, number) && number >= generation;
}

bool GPUAttr::hasMultiplyAdd() const { return true; }

bool GPUAttr::hasHostStack() const { return false; }

bool GPUAttr::isAMD() const { return getImage() == "hsaco"; }

/// Returns true if `chip` is a chip of NVIDIA, such as sm_90a, or of AMD, such
/// as gfx942.
static bool isChip(StringRef chip) {
  if (chip.consume_front("sm_"))
    return chip.size() >= 2 && chip.size() <= 4 &&
           llvm::all_of(chip.take_front(2), llvm::isDigit) &&
           llvm::all_of(chip, llvm::isAlnum);
  return chip.consume_front("gfx") && chip.size() >= 3 && chip.size() <= 4 &&
         llvm::all_of(chip, llvm::isHexDigit);
}

/// More than any GPU has.
static constexpr int64_t kMaxMultiprocessors = 65536;
/// Bounds of the workgroup memory of a block: two thirds are for buffers, and
/// the least tiles of a contraction are in the rest. PTX and AMD's code give a
/// block the largest without that the launch asks for more.
static constexpr int64_t kMinWorkgroupBytes = 32 << 10,
                         kMaxWorkgroupBytes = 48 << 10,
                         kMaxWorkgroupBytesOfAMD = 64 << 10;

LogicalResult GPUAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringAttr chip, StringAttr image, bool tf32,
                              ArrayAttr others, int64_t multiprocessors,
                              int64_t cacheBytes, int64_t workgroupBytes) {
  bool isAMD = image == "hsaco";
  auto verifyChip = [&](StringRef name) -> LogicalResult {
    if (isChip(name) && name.starts_with("gfx") == isAMD)
      return success();
    return emitError() << "expected a chip such as "
                       << (isAMD ? "gfx942" : "sm_90a") << ", found '" << name
                       << "'";
  };
  if (failed(verifyChip(chip.getValue())))
    return failure();
  llvm::SmallDenseSet<Attribute> known = {chip};
  for (Attribute other : others ? others.getValue() : ArrayRef<Attribute>()) {
    auto name = dyn_cast<StringAttr>(other);
    if (!name)
      return emitError() << "expected names of other chips, found " << other;
    if (failed(verifyChip(name.getValue())))
      return failure();
    if (!known.insert(other).second)
      return emitError() << "expected each chip once, found " << other
                         << " twice";
  }
  if (tf32 && isAMD)
    return emitError() << "expected no tf32 with '" << chip.getValue()
                       << "', which has no products of it";
  if (!llvm::is_contained({"ptx", "hsaco", "bitcode"}, image.getValue()))
    return emitError() << "expected 'ptx' or 'bitcode' as the image, found '"
                       << image.getValue() << "'";
  if (multiprocessors < 1 || multiprocessors > kMaxMultiprocessors)
    return emitError() << "expected 1 to " << kMaxMultiprocessors
                       << " multiprocessors, found " << multiprocessors;
  if (cacheBytes < 0)
    return emitError() << "expected no less than 0 bytes of cache, found "
                       << cacheBytes;
  int64_t most = isAMD ? kMaxWorkgroupBytesOfAMD : kMaxWorkgroupBytes;
  if (workgroupBytes < kMinWorkgroupBytes || workgroupBytes > most)
    return emitError() << "expected " << kMinWorkgroupBytes << " to " << most
                       << " bytes of workgroup memory, found "
                       << workgroupBytes;
  return success();
}

CPUAttr flywheel::codegen::getCPU(Operation *op) {
  CPUAttr cpu = lookupCPU(op);
  if (!cpu)
    op->emitOpError() << "expected a module with '"
                      << CodegenDialect::getTargetAttrName()
                      << "', which flywheel-attach-target sets; found none";
  return cpu;
}

ScheduleAttrInterface flywheel::codegen::getSchedule(Operation *op) {
  return op->getAttrOfType<ScheduleAttrInterface>(
      CodegenDialect::getScheduleAttrName());
}

void flywheel::codegen::setSchedule(Operation *op,
                                    ScheduleAttrInterface schedule) {
  op->setAttr(CodegenDialect::getScheduleAttrName(), schedule);
}
