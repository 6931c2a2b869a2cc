// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/unresolved_symbols.h"

#include <dlfcn.h>

#include <algorithm>
#include <memory>

namespace opscope::runtime {

namespace {

using Handle = std::unique_ptr<void, void (*)(void*)>;

std::vector<Handle> openNeeded(const ElfImage& image) {
  std::vector<Handle> handles;
  for (const std::string_view name : image.neededLibraries()) {
    void* handle = dlopen(std::string(name).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle != nullptr) {
      handles.emplace_back(handle, [](void* opened) { dlclose(opened); });
    }
  }
  return handles;
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::string hintFor(const std::vector<std::string>& names) {
  const bool allTvm = std::all_of(names.begin(), names.end(),
                                  [](const std::string& name) { return name.starts_with("TVM"); });
  if (allTvm) {
    return "the library was compiled by a version of TVM that this program does not know, or by a changed "
           "TVM";
  }
  return "link the libraries that define them when you build it (for models: the options of export_library), "
         "or "
         "preload them with LD_PRELOAD";
}

}  // namespace

std::vector<std::string> unresolvedSymbols(const ElfImage& image) {
  const std::vector<Handle> needed = openNeeded(image);
  std::vector<std::string> missing;
  for (const ElfSymbol& symbol : image.undefinedSymbols()) {
    const std::string name(symbol.name);
    const auto provides = [&name](const Handle& handle) {
      return dlsym(handle.get(), name.c_str()) != nullptr;
    };
    if (!symbol.weak && dlsym(RTLD_DEFAULT, name.c_str()) == nullptr &&
        std::none_of(needed.begin(), needed.end(), provides)) {
      missing.push_back(name);
    }
  }
  return missing;
}

base::Error loaderError(const ElfImage& image, const std::string& path, std::string loaderMessage) {
  for (std::size_t at = loaderMessage.find(path); at != std::string::npos;
       at = loaderMessage.find(path, at + image.file().size())) {
    loaderMessage.replace(at, path.size(), image.file());
  }
  // A library that it needs may be missing as a whole; then its symbols are only a consequence.
  if (loaderMessage.find("undefined symbol") != std::string::npos) {
    const std::vector<std::string> missing = unresolvedSymbols(image);
    if (!missing.empty()) {
      const std::string count =
          missing.size() == 1 ? "a symbol" : std::to_string(missing.size()) + " symbols";
      return {base::ErrorCode::MissingFunction,
              image.file() + " needs " + count + " that nothing here provides: " + join(missing),
              "the system's loader says: " + loaderMessage, hintFor(missing)};
    }
  }
  return {base::ErrorCode::Io, image.file() + " could not be loaded",
          "the system's loader says: " + loaderMessage,
          "a library that it needs must be found by the system, for example through LD_LIBRARY_PATH"};
}

}  // namespace opscope::runtime
