// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/function.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/runtime/library.h"

namespace opscope::runtime {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

fs::path pluginPath(const std::string& name) {
  return fs::path(OPSCOPE_BINARY_DIR) / "tests" / "runtime_plugins" / (name + ".so");
}

TEST(Plugin, RegistersByItsInitFunction) {
  const auto plugin = loadPlugin(pluginPath("plugin_init"));
  ASSERT_TRUE(plugin) << plugin.error().message << plugin.error().detail;
  EXPECT_FALSE(plugin->alreadyLoaded);
  EXPECT_EQ(plugin->functions, std::vector<std::string>{"test.plugin_init.twice"});
  EXPECT_EQ(tvm::ffi::Function::GetGlobalRequired("test.plugin_init.twice")(21).cast<int>(), 42);
  const auto again = loadPlugin(pluginPath("plugin_init"));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->alreadyLoaded);
  EXPECT_TRUE(again->functions.empty());
}

TEST(Plugin, RegistersWhenLoaded) {
  const fs::path relative = fs::relative(pluginPath("plugin_static"));
  const auto plugin = loadPlugin(relative);
  ASSERT_TRUE(plugin) << plugin.error().message;
  EXPECT_EQ(plugin->functions,
            (std::vector<std::string>{"test.plugin_static.one", "test.plugin_static.two"}));
}

TEST(Plugin, TellsWhyItsStartFailed) {
  const auto plugin = loadPlugin(pluginPath("plugin_failing"));
  ASSERT_FALSE(plugin);
  EXPECT_EQ(plugin.error().code, ErrorCode::KernelFailed);
  EXPECT_EQ(plugin.error().message, "plugin plugin_failing.so: the licence server is away");
  EXPECT_EQ(plugin.error().detail, "opscope_plugin_init returned 3; raised as RuntimeError");
}

TEST(Plugin, StaysLoadedWhenItsStartThrowsAfterARegistration) {
  const auto plugin = loadPlugin(pluginPath("plugin_throwing"));
  ASSERT_FALSE(plugin);
  EXPECT_NE(plugin.error().message.find("thrown at the start"), std::string::npos);
  EXPECT_EQ(tvm::ffi::Function::GetGlobalRequired("test.plugin_throwing.kept")().cast<int>(), 5);
}

TEST(Plugin, OneThatWouldEndTheProcessIsAnError) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "the plugin is tried in a fork, which ThreadSanitizer cannot follow in a process with threads";
#endif
  ASSERT_TRUE(loadPlugin(pluginPath("plugin_static")));
  const fs::path copy = fs::temp_directory_path() / ("opscope-twice-" + std::to_string(getpid()) + ".so");
  fs::copy_file(pluginPath("plugin_static"), copy, fs::copy_options::overwrite_existing);
  const auto plugin = loadPlugin(copy);
  fs::remove(copy);
  ASSERT_FALSE(plugin) << "it registers the same names again";
  EXPECT_EQ(plugin.error().code, ErrorCode::KernelFailed);
  EXPECT_NE(plugin.error().message.find("ends the process that loads it"), std::string::npos);
  EXPECT_NE(plugin.error().detail.find("test.plugin_static.one"), std::string::npos) << plugin.error().detail;
}

TEST(Plugin, NamesMissingSymbols) {
  const auto plugin = loadPlugin(pluginPath("unresolved"));
  ASSERT_FALSE(plugin);
  EXPECT_EQ(plugin.error().code, ErrorCode::MissingFunction);
  EXPECT_NE(plugin.error().message.find("unresolved.so needs 2 symbols"), std::string::npos);
}

TEST(Plugin, RefusesWhatIsNoPlugin) {
  EXPECT_EQ(loadPlugin("/no/such/plugin.so").error().code, ErrorCode::NotFound);
  EXPECT_EQ(loadPlugin("").error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(loadPlugin("/").error().code, ErrorCode::Io);
  const auto text = loadPlugin(OPSCOPE_SOURCE_DIR "/CMakeLists.txt");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::Format);
  EXPECT_NE(text.error().message.find("it is a text file"), std::string::npos) << text.error().message;
}

TEST(Plugin, RefusesOtherArchitectures) {
  const fs::path path = fs::temp_directory_path() / ("opscope-foreign-" + std::to_string(getpid()) + ".so");
  {
    std::ifstream source(pluginPath("plugin_init"), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(source)), std::istreambuf_iterator<char>());
    bytes[18] = static_cast<char>(0xF3);
    bytes[19] = 0;
    std::ofstream(path, std::ios::binary) << bytes;
  }
  const auto plugin = loadPlugin(path);
  fs::remove(path);
  ASSERT_FALSE(plugin);
  EXPECT_EQ(plugin.error().code, ErrorCode::Unsupported);
  EXPECT_NE(plugin.error().message.find("riscv64"), std::string::npos);
}

}  // namespace
}  // namespace opscope::runtime
