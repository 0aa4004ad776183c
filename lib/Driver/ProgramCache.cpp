//===- ProgramCache.cpp - Compiled programs in a folder -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is a line with its format, the digest of its parts, their number,
// their lengths, and the parts: the key, the text of a module with the
// manifest, the diagnostics of the compiler, the object file, and the symbol
// and the bytes of each constant that the object does not have. `load` uses
// none of it before it has checked that the file is a regular one of this user,
// that its digest is right and that its key is the requested one: a full disk,
// a crash, or a file that was copied or put there costs only a compilation.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/ProgramCache.h"

#include "flywheel/Runtime/AtomicFile.h"
#include "flywheel/Runtime/FileDescriptor.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using llvm::StringRef;

namespace flywheel {

constexpr StringRef kMagic = "flywheel program 4\n";
constexpr StringRef kExtension = ".program";
constexpr size_t kDigestBytes = 32, kLengthBytes = sizeof(uint64_t);
constexpr StringRef kManifest = "train.manifest";

/// The number of parts of a file, without constants.
constexpr size_t kNumParts = 4;
constexpr size_t kMinBytes =
    kMagic.size() + kDigestBytes + (1 + kNumParts) * kLengthBytes;
using Parts = llvm::SmallVector<StringRef, 8>;

static std::string toBytes(uint64_t number) {
  std::string bytes(kLengthBytes, '\0');
  llvm::support::endian::write64le(bytes.data(), number);
  return bytes;
}

static std::string getDigest(llvm::ArrayRef<StringRef> parts) {
  llvm::SHA256 digest;
  for (StringRef part : parts) {
    digest.update(StringRef(toBytes(part.size())));
    digest.update(part);
  }
  return llvm::toStringRef(digest.final()).str();
}

std::string ProgramCache::getPath(StringRef key) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, key + kExtension);
  return path.str().str();
}

/// Splits the bytes of a file; returns none if they are not those of a program.
static std::optional<Parts> unpack(StringRef bytes) {
  if (bytes.size() < kMinBytes || !bytes.consume_front(kMagic))
    return std::nullopt;
  StringRef digest = bytes.take_front(kDigestBytes);
  bytes = bytes.drop_front(kDigestBytes);
  auto readNumber = [](StringRef &from) {
    uint64_t number = llvm::support::endian::read64le(from.data());
    from = from.drop_front(kLengthBytes);
    return number;
  };
  uint64_t count = readNumber(bytes);
  if (count < kNumParts || count % 2 != 0 ||
      count > bytes.size() / kLengthBytes)
    return std::nullopt;
  StringRef lengths = bytes.take_front(count * kLengthBytes);
  bytes = bytes.drop_front(lengths.size());
  Parts parts(count);
  for (StringRef &part : parts) {
    uint64_t length = readNumber(lengths);
    if (length > bytes.size())
      return std::nullopt;
    part = bytes.take_front(length);
    bytes = bytes.drop_front(length);
  }
  if (!bytes.empty() || digest != getDigest(parts))
    return std::nullopt;
  return parts;
}

/// Reads the file of `descriptor` if it is a regular one with `minBytes` to
/// `maxBytes` bytes that this user or the system's administrator owns. Returns
/// null if it is not, or cannot be read.
static std::unique_ptr<llvm::WritableMemoryBuffer>
readEntry(int descriptor, uint64_t minBytes, uint64_t maxBytes) {
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) ||
      (info.st_uid != geteuid() && info.st_uid != 0))
    return nullptr;
  uint64_t size = info.st_size;
  if (size < minBytes || size > maxBytes)
    return nullptr;
  // Not mapped: another process may truncate the file while it is read.
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(size);
  if (!buffer)
    return nullptr;
  for (uint64_t done = 0; done < size;) {
    ssize_t count =
        pread(descriptor, buffer->getBufferStart() + done, size - done, done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return nullptr;
    done += count;
  }
  return buffer;
}

std::optional<ProgramCache::Program>
ProgramCache::load(StringRef key, MLIRContext &context) const {
  std::string path = getPath(key);
  // Neither waits for a writer of a pipe, nor follows a link.
  runtime::FileDescriptor file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (file.get() < 0)
    return std::nullopt;
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      readEntry(file.get(), kMinBytes, maxBytes);
  if (!buffer)
    return std::nullopt;
  auto parts =
      unpack(StringRef(buffer->getBufferStart(), buffer->getBufferSize()));
  if (!parts || parts->front() != key)
    return std::nullopt;
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  Program program;
  program.module = parseSourceString<ModuleOp>((*parts)[1], &context);
  auto parsed = parseSaid((*parts)[2], context);
  if (!program.module || !parsed)
    return std::nullopt;
  program.said = std::move(*parsed);
  program.object = llvm::MemoryBuffer::getMemBufferCopy((*parts)[3], path);
  for (size_t at = kNumParts; at < parts->size(); at += 2)
    program.data.push_back({(*parts)[at].str(), (*parts)[at + 1]});
  if (!program.data.empty())
    program.bytes = std::move(buffer);
  // Makes it the last one to be evicted. A file whose time cannot be set is
  // only read.
  (void)futimens(file.get(), nullptr);
  return program;
}

/// Removes an entry that is not a regular file, such as a pipe, which
/// `writeFileAtomically` would leave in place. A folder remains, and writing
/// reports the error.
static void removeOddEntry(const std::string &path) {
  struct stat info;
  if (lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
      !S_ISDIR(info.st_mode))
    (void)unlink(path.c_str());
}

/// Draws, by its key, one of the programs that together have `maxBytes` / 64:
/// reading the entries of a large folder takes longer than the compilation of a
/// small program. This keeps a folder at `maxBytes` and about a 64th more.
static bool isTimeToEvict(StringRef key, uint64_t bytes, uint64_t maxBytes) {
  uint64_t draw = llvm::xxh3_64bits(key);
  return std::ldexp(double(draw), -64) * double(maxBytes) <= 64 * double(bytes);
}

llvm::Error ProgramCache::store(StringRef key, ModuleOp module,
                                llvm::ArrayRef<SaidDiagnostic> said,
                                StringRef object,
                                llvm::ArrayRef<DetachedData> data) const {
  OwningOpRef<ModuleOp> described =
      ModuleOp::create(UnknownLoc::get(module.getContext()));
  (*described)->setAttr(kManifest, module->getAttr(kManifest));
  std::string text;
  llvm::raw_string_ostream os(text);
  // Prints all of it, whatever the command line limits.
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(std::numeric_limits<int64_t>::max());
  flags.printGenericOpForm();
  flags.skipRegions(false);
  (*described)->print(os, flags);
  std::string saidText = formatSaid(said, *module.getContext());
  Parts parts = {key, text, saidText, object};
  for (const DetachedData &one : data)
    parts.append({one.symbol, one.bytes});
  std::string head = kMagic.str() + getDigest(parts) + toBytes(parts.size());
  for (StringRef part : parts)
    head += toBytes(part.size());
  std::vector<runtime::ByteSpan> spans = {{head.data(), head.size()}};
  uint64_t bytes = head.size();
  for (StringRef part : parts) {
    spans.push_back({part.data(), part.size()});
    bytes += part.size();
  }
  if (bytes > static_cast<uint64_t>(maxBytes))
    return llvm::createStringError("it has " + llvm::Twine(bytes) +
                                   " bytes, the cache at most " +
                                   llvm::Twine(maxBytes));
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot make the folder '" + folder +
                                   "': " + error.message());
  std::string path = getPath(key);
  removeOddEntry(path);
  runtime::Status status = runtime::writeFileAtomically(path, spans);
  if (!status.isOk())
    return llvm::createStringError(status.message());
  if (isTimeToEvict(key, bytes, maxBytes))
    evict();
  return llvm::Error::success();
}

void ProgramCache::evict() const {
  runtime::removeStaleTemporaries(folder);
  struct File {
    llvm::sys::TimePoint<> used;
    std::string path;
    uint64_t bytes;
  };
  std::vector<File> files;
  uint64_t total = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    if (llvm::sys::path::extension(it->path()) != kExtension)
      continue;
    llvm::ErrorOr<llvm::sys::fs::basic_file_status> status = it->status();
    if (!status)
      continue;
    files.push_back(
        {status->getLastModificationTime(), it->path(), status->getSize()});
    total += status->getSize();
  }
  llvm::sort(files, [](const File &first, const File &second) {
    return std::tie(first.used, first.path) <
           std::tie(second.used, second.path);
  });
  for (const File &file : files) {
    if (total <= static_cast<uint64_t>(maxBytes))
      return;
    // Another process may have removed it: in that case it is gone as well.
    (void)llvm::sys::fs::remove(file.path);
    total -= file.bytes;
  }
}

} // namespace flywheel
