// SPDX-License-Identifier: Apache-2.0
// The steps from an InputPlan to values: assign, bind sizes, check, make. Used by resolveInputs and its
// sisters on one thread; refers to the signature, which must stay alive.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/session/input_files.h"
#include "engine/session/input_slots.h"
#include "engine/session/input_spec.h"
#include "engine/session/listed_arguments.h"
#include "engine/session/random_stream.h"

namespace opscope::session {

class InputResolver {
 public:
  enum class Files { Read, Ignore };
  explicit InputResolver(const vm::Signature& signature, Files files = Files::Ignore);

  /// Puts what the plan says into the slots and reads its files, when wanted.
  void assign(const InputPlan& plan);
  /// What is known of files that are not read. Before assign(); must stay alive.
  void setListings(const ArrayListings* listings) { m_listings = listings; }
  /// Puts given values into the slots.
  void assign(const std::vector<InputValue>& arguments);
  void assign(const std::vector<ListedArgument>& arguments);
  /// Collects the sizes of free dimensions and holds all that is given against the signature.
  void check();
  /// Adds a problem when free dimensions have no size. After check().
  void requireSizes();

  const std::vector<InputProblem>& problems() const { return m_problems; }
  /// All problems, of which there is one at least, as one error: the first with its words, then the others.
  base::Error allProblems() const;
  /// Free dimensions without a size, in order. After check().
  std::vector<std::string> missingSizes() const;
  /// Like missingSizes, without those that files which were not read may give.
  std::vector<std::string> missingSizesBesideFiles() const;

  /// Makes the values. Only when there is no problem. Errors: OutOfMemory.
  base::Result<ResolvedInputs> make();

 private:
  struct Size {
    std::int64_t value = 0;
    std::string origin;  ///< parameter that gave it; empty: given itself
  };

  void problem(std::string name, std::string message, std::string detail, std::string hint = {});
  void misfit(const InputSlot& slot, std::string found);

  void assignDimension(const std::string& name, std::int64_t size);
  void assignValue(const std::string& name, InputSlot& slot, const std::string& text);
  void give(InputSlot& slot, const InputSpec& spec, bool replace);
  void assignArraysFile(const std::string& path);
  InputSlot* slotForKey(const std::string& key, std::string& slotKey);
  void putListed(InputSlot& slot, const ListedArgument& argument);
  void readFiles();
  bool takeListed(InputSlot& slot);

  void bind(const InputSlot& slot);
  void checkSlot(const InputSlot& slot);
  void checkListed(const InputSlot& slot);
  void checkValue(const InputSlot& slot);
  void checkTensor(const InputSlot& slot, arrays::ElementType type, const std::vector<std::int64_t>& shape);
  void checkWords(const InputSlot& slot);
  void checkMadeWords(const InputSlot& slot);
  void needsValue(const InputSlot& slot, std::string hint);
  void misfitShape(const InputSlot& slot, std::string found, const std::vector<std::int64_t>& shape);
  bool shapeFits(const vm::Parameter& parameter, const std::vector<std::int64_t>& shape) const;
  std::vector<std::string> dimensionNames() const;
  std::string takesText() const;

  std::vector<std::int64_t> shapeOf(const InputSlot& slot) const;
  arrays::ElementType typeOf(const InputSlot& slot) const;
  base::Result<> checkMemory();
  base::Result<InputValue> makeSlot(InputSlot& slot);
  base::Result<InputValue> makeLeaf(InputSlot& slot);
  base::Result<arrays::Array> makeArray(InputSlot& slot, std::vector<std::int64_t> shape);

  const vm::Signature& m_signature;
  Files m_files;
  const ArrayListings* m_listings = nullptr;
  std::vector<InputSlot> m_slots;
  std::map<std::string, Size> m_origins;
  std::map<std::string, std::int64_t> m_sizes;
  std::vector<InputProblem> m_problems;
  InputFiles m_inputFiles;
  bool m_filesIgnored = false;  ///< the plan names files and they were not read
  std::map<std::pair<std::size_t, std::uint64_t>, RandomStream> m_streams;  ///< by position and seed
};

/// The shape that a slot was given, or nullptr.
const std::vector<std::int64_t>* givenShape(const InputSlot& slot);

}  // namespace opscope::session
