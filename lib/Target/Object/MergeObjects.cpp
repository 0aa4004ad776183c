//===- MergeObjects.cpp - Several object files as one ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Users link, keep and load one object file of a model, whose code is generated
// on several threads. An archive of the parts would not be one: a linker takes
// from it what is asked for, and what one part has for the others would be seen
// by all. One part takes half as long again on two threads (ModuleParts.cpp).
// `ld -r` may not be installed; lld as a library (liblld-22-dev) works on
// files, one link at a time in a process, whose state is in global variables.
// The objects that code generation writes for one machine use a small part of
// the features that a linker has to handle.
//
//===----------------------------------------------------------------------===//

#include "MergeObjects.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/StringTableBuilder.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <optional>
#include <tuple>

using namespace llvm;

namespace flywheel {
namespace {
using ELFT = object::ELF64LE;
using File = object::ELFFile<ELFT>;
using Section = ELFT::Shdr;
using Symbol = ELFT::Sym;
using Relocation = ELFT::Rela;

/// A section of the result.
struct MergedSection {
  StringRef name;
  uint32_t type = 0;
  uint64_t flags = 0, entrySize = 0, alignment = 1, size = 0;
  /// Nothing of a section that has no bytes in the file.
  SmallVector<char, 0> bytes;
  SmallVector<Relocation, 0> relocations;

  /// Appends a section of a file, and returns its offset.
  uint64_t append(ArrayRef<uint8_t> contents, const Section &section) {
    uint64_t align = std::max<uint64_t>(section.sh_addralign, 1);
    alignment = std::max(alignment, align);
    uint64_t start = alignTo(size, align);
    size = start + section.sh_size;
    if (type == ELF::SHT_NOBITS)
      return start;
    bytes.resize(start);
    bytes.append(contents.begin(), contents.end());
    return start;
  }
};

/// A symbol of the result, whose section is an index into those of the merger.
struct MergedSymbol {
  StringRef name;
  uint64_t value = 0, size = 0;
  uint8_t binding = 0, type = 0, other = 0;
  /// One of SHN_UNDEF, SHN_ABS and SHN_COMMON for a symbol without a section.
  uint16_t reserved = ELF::SHN_UNDEF;
  std::optional<size_t> section;

  bool isDefined() const { return section || reserved != ELF::SHN_UNDEF; }
};

class Merger {
public:
  Merger(const StringSet<> &localNames) : localNames(localNames) {}

  Error add(MemoryBufferRef buffer);
  SmallVector<char, 0> write();

private:
  /// The sections and symbols of the result that those of a file became.
  struct Input {
    File file;
    ArrayRef<Section> sections;
    /// For each section of the file, the section of the result and the offset
    /// in it.
    SmallVector<std::optional<std::pair<size_t, uint64_t>>> places;
    /// For each symbol of the file, its number in the result, and its addend.
    SmallVector<std::pair<size_t, int64_t>> symbols;
  };

  Error addSections(Input &input);
  Error addSymbols(Input &input, const Section &table);
  Expected<size_t> addGlobal(MergedSymbol symbol);
  size_t getSectionSymbol(size_t section);
  Error addRelocations(const Input &input, const Section &section);
  SmallVector<size_t> orderSymbols() const;

  const StringSet<> &localNames;
  std::optional<ELFT::Ehdr> header;
  MapVector<std::tuple<StringRef, uint32_t, uint64_t, uint64_t>, size_t>
      sectionNumbers;
  std::vector<MergedSection> sections;
  std::vector<MergedSymbol> symbols;
  DenseMap<size_t, size_t> sectionSymbols;
  StringMap<size_t> globals;
};
} // namespace

static bool isTable(const Section &section) {
  return is_contained({ELF::SHT_NULL, ELF::SHT_SYMTAB, ELF::SHT_STRTAB,
                       ELF::SHT_RELA, ELF::SHT_LLVM_ADDRSIG},
                      static_cast<unsigned>(section.sh_type));
}

Error Merger::addSections(Input &input) {
  input.places.resize(input.sections.size());
  for (auto [index, section] : enumerate(input.sections)) {
    if (isTable(section))
      continue;
    Expected<StringRef> name = input.file.getSectionName(section);
    if (!name)
      return name.takeError();
    constexpr uint64_t ordered = ELF::SHF_GROUP | ELF::SHF_LINK_ORDER;
    if (is_contained({ELF::SHT_REL, ELF::SHT_GROUP, ELF::SHT_SYMTAB_SHNDX},
                     static_cast<unsigned>(section.sh_type)) ||
        (section.sh_flags & ordered))
      return createStringError("cannot merge the section '" + *name +
                               "' of several object files");
    Expected<ArrayRef<uint8_t>> contents =
        section.sh_type == ELF::SHT_NOBITS
            ? ArrayRef<uint8_t>()
            : input.file.getSectionContents(section);
    if (!contents)
      return contents.takeError();
    auto [found, isNew] = sectionNumbers.insert(
        {{*name, section.sh_type, section.sh_flags, section.sh_entsize},
         sections.size()});
    if (isNew) {
      MergedSection &merged = sections.emplace_back();
      merged.name = *name;
      merged.type = section.sh_type;
      merged.flags = section.sh_flags;
      merged.entrySize = section.sh_entsize;
    }
    uint64_t start = sections[found->second].append(*contents, section);
    input.places[index] = {found->second, start};
  }
  return Error::success();
}

size_t Merger::getSectionSymbol(size_t section) {
  auto [found, isNew] = sectionSymbols.insert({section, symbols.size()});
  if (isNew) {
    MergedSymbol &symbol = symbols.emplace_back();
    symbol.type = ELF::STT_SECTION;
    symbol.section = section;
  }
  return found->second;
}

Expected<size_t> Merger::addGlobal(MergedSymbol symbol) {
  auto [found, isNew] = globals.insert({symbol.name, symbols.size()});
  if (isNew) {
    symbols.push_back(symbol);
    return found->second;
  }
  MergedSymbol &known = symbols[found->second];
  if (symbol.isDefined() && known.isDefined())
    return createStringError("two object files define the symbol '" +
                             symbol.name + "'");
  if (symbol.isDefined())
    known = symbol;
  return found->second;
}

Error Merger::addSymbols(Input &input, const Section &table) {
  Expected<ELFT::SymRange> all = input.file.symbols(&table);
  if (!all)
    return all.takeError();
  Expected<StringRef> names =
      input.file.getStringTableForSymtab(table, input.sections);
  if (!names)
    return names.takeError();
  for (const Symbol &symbol : *all) {
    MergedSymbol merged;
    Expected<StringRef> name = symbol.getName(*names);
    if (!name)
      return name.takeError();
    merged.name = *name;
    merged.value = symbol.st_value;
    merged.size = symbol.st_size;
    merged.binding = symbol.getBinding();
    merged.type = symbol.getType();
    merged.other = symbol.st_other;
    merged.reserved = symbol.st_shndx;
    if (symbol.st_shndx != ELF::SHN_UNDEF &&
        symbol.st_shndx < ELF::SHN_LORESERVE) {
      if (symbol.st_shndx >= input.places.size() ||
          !input.places[symbol.st_shndx])
        return createStringError("expected the symbol '" + *name +
                                 "' in a section of code or data");
      auto [section, start] = *input.places[symbol.st_shndx];
      merged.section = section;
      merged.value += start;
    }
    // The first entry of a table is nobody's.
    if (input.symbols.empty()) {
      input.symbols.push_back({0, 0});
    } else if (merged.type == ELF::STT_FILE && symbols.size() > 1) {
      // All files are of one source, which the first one names.
      input.symbols.push_back({0, 0});
    } else if (merged.type == ELF::STT_SECTION) {
      input.symbols.push_back({getSectionSymbol(*merged.section),
                               static_cast<int64_t>(merged.value)});
    } else if (merged.binding == ELF::STB_LOCAL) {
      input.symbols.push_back({symbols.size(), 0});
      symbols.push_back(merged);
    } else {
      Expected<size_t> number = addGlobal(merged);
      if (!number)
        return number.takeError();
      input.symbols.push_back({*number, 0});
    }
  }
  return Error::success();
}

Error Merger::addRelocations(const Input &input, const Section &section) {
  Expected<ELFT::RelaRange> relocations = input.file.relas(section);
  if (!relocations)
    return relocations.takeError();
  if (section.sh_info >= input.places.size() || !input.places[section.sh_info])
    return createStringError("expected relocations of a section of code or "
                             "data");
  auto [target, start] = *input.places[section.sh_info];
  for (const Relocation &relocation : *relocations) {
    uint32_t index = relocation.getSymbol(/*isMips64EL=*/false);
    if (index >= input.symbols.size())
      return createStringError("a relocation has no symbol");
    auto [symbol, addend] = input.symbols[index];
    Relocation merged = relocation;
    merged.r_offset = relocation.r_offset + start;
    merged.r_addend = relocation.r_addend + addend;
    merged.setSymbolAndType(symbol, relocation.getType(false), false);
    sections[target].relocations.push_back(merged);
  }
  return Error::success();
}

Error Merger::add(MemoryBufferRef buffer) {
  Expected<File> file = File::create(buffer.getBuffer());
  if (!file)
    return file.takeError();
  const ELFT::Ehdr &own = file->getHeader();
  if (own.e_type != ELF::ET_REL ||
      own.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      own.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
      (header &&
       (header->e_machine != own.e_machine || header->e_flags != own.e_flags)))
    return createStringError("expected object files of one machine to merge");
  if (!header) {
    header = own;
    symbols.emplace_back();
  }
  Expected<ELFT::ShdrRange> all = file->sections();
  if (!all)
    return all.takeError();
  Input input{*file, *all, {}, {}};
  if (Error error = addSections(input))
    return error;
  for (const Section &section : input.sections)
    if (section.sh_type == ELF::SHT_SYMTAB)
      if (Error error = addSymbols(input, section))
        return error;
  for (const Section &section : input.sections)
    if (section.sh_type == ELF::SHT_RELA)
      if (Error error = addRelocations(input, section))
        return error;
  return Error::success();
}

/// Returns the order of symbols, local ones first.
SmallVector<size_t> Merger::orderSymbols() const {
  SmallVector<size_t> order;
  for (bool isLocal : {true, false})
    for (auto [index, symbol] : enumerate(symbols))
      if ((symbol.binding == ELF::STB_LOCAL) == isLocal)
        order.push_back(index);
  return order;
}

/// Appends `data` at the next multiple of `alignment`; returns its offset.
static uint64_t append(SmallVectorImpl<char> &bytes, StringRef data,
                       uint64_t alignment) {
  bytes.resize(alignTo(bytes.size(), alignment));
  uint64_t start = bytes.size();
  bytes.append(data.begin(), data.end());
  return start;
}

template <typename T> static StringRef getBytes(ArrayRef<T> values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

SmallVector<char, 0> Merger::write() {
  for (MergedSymbol &symbol : symbols)
    if (symbol.isDefined() && symbol.binding != ELF::STB_LOCAL &&
        localNames.contains(symbol.name)) {
      symbol.binding = ELF::STB_LOCAL;
      symbol.other &= ~3; // Visible as by default.
    }
  SmallVector<size_t> order = orderSymbols();
  SmallVector<uint32_t> numbers(order.size());
  for (auto [number, index] : enumerate(order))
    numbers[index] = number;

  StringTableBuilder names(StringTableBuilder::ELF),
      sectionNames(StringTableBuilder::ELF);
  for (const MergedSymbol &symbol : symbols)
    names.add(symbol.name);
  names.finalizeInOrder();
  // Sections, then their relocations, then the tables.
  SmallVector<size_t> relocated;
  std::vector<std::string> relocationNames;
  for (auto [index, section] : enumerate(sections)) {
    sectionNames.add(section.name);
    if (section.relocations.empty())
      continue;
    relocated.push_back(index);
    relocationNames.push_back((".rela" + section.name).str());
  }
  for (StringRef name : relocationNames)
    sectionNames.add(name);
  for (StringRef name : {".symtab", ".strtab", ".shstrtab"})
    sectionNames.add(name);
  sectionNames.finalizeInOrder();

  std::vector<Section> headers(1);
  auto addHeader = [&](StringRef name, uint32_t type) -> Section & {
    Section &added = headers.emplace_back();
    added.sh_name = sectionNames.getOffset(name);
    added.sh_type = type;
    return added;
  };
  size_t tableNumber = 1 + sections.size() + relocated.size();
  SmallVector<char, 0> bytes(sizeof(ELFT::Ehdr));
  for (const MergedSection &section : sections) {
    Section &added = addHeader(section.name, section.type);
    added.sh_flags = section.flags;
    added.sh_entsize = section.entrySize;
    added.sh_addralign = section.alignment;
    added.sh_size = section.size;
    added.sh_offset =
        append(bytes, StringRef(section.bytes.data(), section.bytes.size()),
               section.alignment);
  }
  for (auto [name, index] : zip_equal(relocationNames, relocated)) {
    MergedSection &section = sections[index];
    for (Relocation &relocation : section.relocations)
      relocation.setSymbolAndType(numbers[relocation.getSymbol(false)],
                                  relocation.getType(false), false);
    StringRef data = getBytes(ArrayRef<Relocation>(section.relocations));
    Section &added = addHeader(name, ELF::SHT_RELA);
    added.sh_flags = ELF::SHF_INFO_LINK;
    added.sh_link = tableNumber;
    added.sh_info = index + 1;
    added.sh_entsize = sizeof(Relocation);
    added.sh_addralign = 8;
    added.sh_size = data.size();
    added.sh_offset = append(bytes, data, 8);
  }

  std::vector<Symbol> table;
  uint32_t numLocal = 0;
  for (size_t index : order) {
    const MergedSymbol &symbol = symbols[index];
    Symbol &added = table.emplace_back();
    added.st_name = names.getOffset(symbol.name);
    added.st_value = symbol.value;
    added.st_size = symbol.size;
    added.setBindingAndType(symbol.binding, symbol.type);
    added.st_other = symbol.other;
    added.st_shndx = symbol.section ? *symbol.section + 1 : symbol.reserved;
    numLocal += symbol.binding == ELF::STB_LOCAL;
  }
  Section &symbolTable = addHeader(".symtab", ELF::SHT_SYMTAB);
  symbolTable.sh_link = tableNumber + 1;
  symbolTable.sh_info = numLocal;
  symbolTable.sh_entsize = sizeof(Symbol);
  symbolTable.sh_addralign = 8;
  symbolTable.sh_size = table.size() * sizeof(Symbol);
  symbolTable.sh_offset = append(bytes, getBytes(ArrayRef<Symbol>(table)), 8);
  for (auto [name, builder] :
       {std::pair<StringRef, StringTableBuilder *>(".strtab", &names),
        std::pair<StringRef, StringTableBuilder *>(".shstrtab",
                                                   &sectionNames)}) {
    std::string text(builder->getSize(), '\0');
    builder->write(reinterpret_cast<uint8_t *>(text.data()));
    Section &added = addHeader(name, ELF::SHT_STRTAB);
    added.sh_addralign = 1;
    added.sh_size = text.size();
    added.sh_offset = append(bytes, text, 1);
  }

  ELFT::Ehdr written = *header;
  written.e_shoff = append(bytes, getBytes(ArrayRef<Section>(headers)), 8);
  written.e_shnum = headers.size();
  written.e_shstrndx = headers.size() - 1;
  llvm::copy(getBytes(ArrayRef<ELFT::Ehdr>(written)), bytes.begin());
  return bytes;
}

Expected<std::unique_ptr<MemoryBuffer>>
mergeObjects(ArrayRef<MemoryBufferRef> objects, const StringSet<> &localNames,
             StringRef name) {
  Merger merger(localNames);
  for (MemoryBufferRef object : objects)
    if (Error error = merger.add(object))
      return std::move(error);
  return std::make_unique<SmallVectorMemoryBuffer>(
      merger.write(), name, /*RequiresNullTerminator=*/false);
}

} // namespace flywheel
