// SPDX-License-Identifier: Apache-2.0
// InputResolver, first part: what the person said goes into the slots.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/log.h"
#include "engine/base/near_match.h"
#include "engine/session/dimension_expression.h"
#include "engine/session/input_resolver.h"

namespace opscope::session {

using base::Error;
using base::ErrorCode;

namespace {

constexpr const char* kArrayNamesHint = "Arrays are named as the parameters, or arg0, arg1 and so on.";

}  // namespace

InputResolver::InputResolver(const vm::Signature& signature, Files files)
    : m_signature(signature), m_files(files), m_slots(makeSlots(signature)) {}

void InputResolver::problem(std::string name, std::string message, std::string detail, std::string hint) {
  m_problems.push_back({std::move(name), Error{ErrorCode::InvalidArgument, std::move(message),
                                               std::move(detail), std::move(hint)}});
}

std::string InputResolver::takesText() const {
  const auto names = slotNames(m_slots);
  return names.empty() ? "It takes no inputs."
                       : fmt::format("{} takes {}.", m_signature.function, base::joinNames(names));
}

std::vector<std::string> InputResolver::dimensionNames() const {
  std::vector<std::string> names = m_signature.freeDimensions;
  const auto add = [&names](const InputSlot& slot) {
    for (const vm::Dimension& dimension : slot.parameter->dimensions) {
      for (std::string& name : namesInDimension(dimension.name)) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
          names.push_back(std::move(name));
        }
      }
    }
  };
  auto slots = m_slots;
  forEachLeaf(slots, add);
  return names;
}

void InputResolver::assign(const InputPlan& plan) {
  for (const auto& [name, size] : plan.dimensions) {
    assignDimension(name, size);
  }
  struct Assignment {
    InputSlot* slot;
    std::string name;
    std::string text;
  };
  std::vector<Assignment> assignments;
  std::map<const InputSlot*, std::string> seen;
  for (const auto& [name, text] : plan.values) {
    InputSlot* slot = findSlot(m_slots, name);
    if (slot == nullptr) {
      const auto names = slotNames(m_slots);
      const std::string near = base::nearMatch(name, names);
      problem(name, fmt::format("{} has no input \"{}\".", m_signature.function, name),
              names.empty() ? "It takes no inputs." : fmt::format("It takes {}.", base::joinNames(names)),
              near.empty() ? "" : fmt::format("Did you mean \"{}\"?", near));
    } else if (const auto [other, isNew] = seen.emplace(slot, name); !isNew) {
      problem(name, fmt::format("Input {} is given twice.", slot->name),
              fmt::format("\"{}\" and \"{}\" are the same input.", other->second, name));
    } else {
      assignments.push_back({slot, name, text});
    }
  }
  // Tuples before their members, so that a member's own value stays.
  std::stable_sort(assignments.begin(), assignments.end(), [](const Assignment& a, const Assignment& b) {
    return a.slot->name.size() < b.slot->name.size();
  });
  for (const Assignment& assignment : assignments) {
    assignValue(assignment.name, *assignment.slot, assignment.text);
  }
  if (!plan.arraysFile.empty()) {
    m_filesIgnored = m_files == Files::Ignore;
    if (m_files == Files::Read) {
      assignArraysFile(plan.arraysFile);
    }
  }
  readFiles();
}

void InputResolver::assign(const std::vector<InputValue>& arguments) {
  if (arguments.size() != m_slots.size()) {
    problem({}, fmt::format("{} takes {} inputs.", m_signature.function, m_slots.size()),
            fmt::format("Needs {}. Given are {}.", m_slots.size(), arguments.size()));
    return;
  }
  const auto put = [](auto&& self, InputSlot& slot, const InputValue& value) -> void {
    const auto* tuple = std::get_if<TupleValue>(&value.value);
    if (slot.members.empty() || tuple == nullptr || tuple->members.size() != slot.members.size()) {
      slot.members.clear();
      slot.value = value;
      slot.given = true;
      return;
    }
    for (std::size_t i = 0; i < slot.members.size(); ++i) {
      self(self, slot.members[i], tuple->members[i]);
    }
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    put(put, m_slots[i], arguments[i]);
  }
}

void InputResolver::assignDimension(const std::string& name, std::int64_t size) {
  const auto known = dimensionNames();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    const std::string near = base::nearMatch(name, known);
    problem(name, fmt::format("{} has no free dimension \"{}\".", m_signature.function, name),
            known.empty() ? "All of its dimensions are fixed."
                          : fmt::format("It has {}.", base::joinNames(known)),
            near.empty() ? "" : fmt::format("Did you mean \"{}\"?", near));
  } else if (size < 1) {
    problem(name, fmt::format("{} must be at least 1.", name), fmt::format("Given is {}.", size));
  } else {
    m_origins[name] = {size, {}};
    m_sizes[name] = size;
  }
}

void InputResolver::assignValue(const std::string& name, InputSlot& slot, const std::string& text) {
  if (slot.parameter->kind == vm::ParameterKind::String) {
    slot.value = InputValue{text};
    slot.given = true;
    return;
  }
  const auto spec = parseInputSpec(text);
  if (!spec) {
    m_problems.push_back({name, spec.error()});
    m_problems.back().error.message = fmt::format("Input {}: {}", slot.name, spec.error().message);
    return;
  }
  if (!slot.members.empty() && (spec->shape || spec->type)) {
    problem(name, fmt::format("Input {} is a tuple of {}.", slot.name, slot.members.size()),
            "A shape or type fits one member only.",
            fmt::format("Give its members by name: {}/0, {}/1 and so on.", slot.name, slot.name));
    return;
  }
  if (!slot.members.empty() && spec->kind == InputSpec::Kind::File && spec->key.empty()) {
    problem(name, fmt::format("Input {} is a tuple of {}.", slot.name, slot.members.size()),
            fmt::format("The file {} holds one array.", spec->file),
            "Take the members from an .npz file (@FILE.npz:KEY reads KEY/0, KEY/1 and so on), or give them "
            "one by "
            "one.");
    return;
  }
  give(slot, *spec, true);
}

void InputResolver::give(InputSlot& slot, const InputSpec& spec, bool replace) {
  for (std::size_t i = 0; i < slot.members.size(); ++i) {
    InputSpec member = spec;
    if (spec.kind == InputSpec::Kind::File) {
      member.key = fmt::format("{}/{}", spec.key, i);
      member.words = fmt::format("{}/{}", spec.words, i);
    }
    give(slot.members[i], member, replace);
  }
  if (!slot.members.empty() || (slot.given && !replace)) {
    return;
  }
  slot.given = true;
  slot.spec = spec;
  if (spec.kind == InputSpec::Kind::File) {
    slot.source = "the file " + spec.file;
  } else if (slot.parameter->kind == vm::ParameterKind::Shape && spec.shape && !spec.kindGiven &&
             !spec.type) {
    slot.value = InputValue{ShapeValue{*spec.shape}};
  }
}

InputSlot* InputResolver::slotForKey(const std::string& key, std::string& slotKey) {
  slotKey = key;
  std::string name = key;
  if (findSlot(m_slots, name) == nullptr && name.starts_with("arg")) {
    name.erase(0, 3);
  }
  if (InputSlot* slot = findSlot(m_slots, name)) {
    return slot;
  }
  // Members of a tuple that the executable does not describe: the tuple is taken whole.
  for (std::size_t slash = name.rfind('/'); slash != std::string::npos && slash > 0;
       slash = name.rfind('/', slash - 1)) {
    InputSlot* slot = findSlot(m_slots, name.substr(0, slash));
    if (slot != nullptr && slot->members.empty() && slot->parameter->kind == vm::ParameterKind::Opaque) {
      slotKey = key.substr(0, key.size() - (name.size() - slash));
      return slot;
    }
  }
  return nullptr;
}

void InputResolver::assignArraysFile(const std::string& path) {
  const auto reader = m_inputFiles.archive(path);
  if (!reader) {
    m_problems.push_back({{}, reader.error()});
    return;
  }
  std::vector<std::string> unknown;
  if ((*reader)->keys().empty()) {
    problem({}, fmt::format("{} holds no array.", path), takesText(), kArrayNamesHint);
    return;
  }
  for (const std::string& key : (*reader)->keys()) {
    std::string slotKey;
    InputSlot* slot = slotForKey(key, slotKey);
    if (slot == nullptr) {
      unknown.push_back(key);
      continue;
    }
    InputSpec spec;
    spec.kind = InputSpec::Kind::File;
    spec.kindGiven = true;
    spec.file = path;
    spec.key = slotKey;
    spec.words = "@" + path + ":" + slotKey;
    give(*slot, spec, false);
  }
  std::vector<std::string> without;
  forEachLeaf(m_slots, [&without](const InputSlot& slot) {
    if (!slot.given) {
      without.push_back(slot.name);
    }
  });
  if (unknown.empty()) {
    return;
  }
  const bool none = unknown.size() == (*reader)->keys().size();
  const std::string what =
      fmt::format("{} holds {} that {} no {} of {}: {}.", path, unknown.size() == 1 ? "an array" : "arrays",
                  unknown.size() == 1 ? "is" : "are", unknown.size() == 1 ? "input" : "inputs",
                  m_signature.function, base::joinNames(unknown));
  // Arrays beside the inputs (expected results, for example) do no harm once every input has its own.
  if (none || !without.empty()) {
    problem(
        {}, what,
        without.empty() ? takesText() : fmt::format("No array is there for {}.", base::joinNames(without)),
        kArrayNamesHint);
  } else {
    base::log(base::LogLevel::Warning, what + " They are not used.");
  }
}

/// What is listed of the slot's array in place of the array itself; false when nothing is known of it.
bool InputResolver::takeListed(InputSlot& slot) {
  if (m_listings == nullptr) {
    return false;
  }
  const auto file = m_listings->find(slot.spec.file);
  if (file == m_listings->end()) {
    return false;
  }
  const ArrayListing& listing = file->second;
  const auto wrong = [&](const Error& error) {
    m_problems.push_back({slot.name, error});
    m_problems.back().error.message = fmt::format("Input {}: {}", slot.name, error.message);
    return true;
  };
  if (listing.problem) {
    return wrong(*listing.problem);
  }
  std::vector<std::string> keys;
  for (const ListedArray& array : listing.arrays) {
    keys.push_back(array.key);
  }
  const auto found = std::find(keys.begin(), keys.end(), slot.spec.key);
  if (found == keys.end()) {
    const bool isTuple = std::find(keys.begin(), keys.end(), slot.spec.key + "/0") != keys.end();
    return !isTuple && wrong(arrays::noSuchArray(slot.spec.file, slot.spec.key, keys));
  }
  const ListedArray& array = listing.arrays[static_cast<std::size_t>(found - keys.begin())];
  if (array.problem) {
    return wrong(*array.problem);
  }
  if (slot.parameter->kind == vm::ParameterKind::Tensor) {
    slot.listed = array;
  }
  return slot.listed.has_value();
}

void InputResolver::readFiles() {
  forEachLeaf(m_slots, [this](InputSlot& slot) {
    if (!slot.given || slot.value || slot.spec.kind != InputSpec::Kind::File) {
      return;
    }
    if (m_files == Files::Ignore) {
      m_filesIgnored = !takeListed(slot) || m_filesIgnored;
      return;
    }
    auto loaded = m_inputFiles.load(slot.spec.file, slot.spec.key);
    if (!loaded) {
      m_problems.push_back({slot.name, loaded.error()});
      m_problems.back().error.message = fmt::format("Input {}: {}", slot.name, loaded.error().message);
      return;
    }
    slot.value = fitToParameter(*slot.parameter, std::move(*loaded));
  });
}

}  // namespace opscope::session
