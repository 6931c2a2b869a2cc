// SPDX-License-Identifier: Apache-2.0
// The book-keeping of paged KV caches against a model that shares nothing: every sequence is a plain list of
// tokens. A real page memory holds what was written to each slot, so that wrong slots, lost copies and pages
// in two hands show as wrong tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/error.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "engine/vm/kv_cache/forward_plan.h"
#include "engine/vm/kv_cache/sequence_store.h"

namespace opscope::vm {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int32_t kPageSize = 4;

template <class Call>
std::string errorOf(Call&& call) {
  try {
    call();
  } catch (const tvm::ffi::Error& error) {
    return error.message();
  }
  return "no error";
}

PagedKvConfig configOf(std::int32_t pages, bool slides) {
  PagedKvConfig config;
  config.maxBatch = 8;
  config.prefillChunk = 40;
  config.pageSize = kPageSize;
  config.pageCount = pages;
  config.slidingWindow = slides;
  config.layerCount = 1;
  config.layerKinds = {AttentionKind::MultiHead};
  return config;
}

/// A sequence as the model knows it.
struct Modelled {
  std::vector<std::int64_t> tokens;
  std::size_t window = 0;  // 0: none
  std::size_t sink = 0;
  std::size_t pinned = 0;  // tokens before the last block when the window began

  void slide() {
    if (window != 0 && tokens.size() > window) {
      const auto from = tokens.begin() + static_cast<std::ptrdiff_t>(std::max(sink, pinned));
      tokens.erase(from, from + static_cast<std::ptrdiff_t>(tokens.size() - window));
    }
  }
};

/// Store, plan and page memory of one cache beside the model.
class Cache {
 public:
  Cache(std::int32_t pages, bool slides)
      : m_config(configOf(pages, slides)),
        m_store(kPageSize, pages, slides),
        m_plan(m_config, m_allocator),
        m_memory(static_cast<std::size_t>(pages * kPageSize), -1) {}

  SequenceStore& store() { return m_store; }
  ForwardPlan& plan() { return m_plan; }
  std::map<std::int64_t, Modelled>& model() { return m_model; }

  void add(std::int64_t id) {
    m_store.add(id);
    m_model[id];
  }
  void remove(std::int64_t id) {
    m_store.remove(id);
    m_model.erase(id);
  }
  void fork(std::int64_t parent, std::int64_t child, std::int64_t position) {
    copy(m_store.fork(parent, child, position));
    const auto& tokens = m_model[parent].tokens;
    const auto end = position == -1 ? tokens.end() : tokens.begin() + position;
    m_model[child].tokens.assign(tokens.begin(), end);
  }
  void pop(std::int64_t id, std::int64_t count) {
    copy(m_store.pop(id, count));
    auto& tokens = m_model[id].tokens;
    tokens.resize(tokens.size() - static_cast<std::size_t>(count));
  }
  void enableWindow(std::int64_t id, std::int64_t window, std::int64_t sink) {
    m_store.enableWindow(id, window, sink);
    Modelled& sequence = m_model[id];
    sequence.window = static_cast<std::size_t>(window);
    sequence.sink = static_cast<std::size_t>(sink);
    const KvSequence& stored = m_store.at(id);
    sequence.pinned = static_cast<std::size_t>(stored.length - m_store.block(stored.lastBlock).length);
  }
  /// A pass as the cache makes it, its keys written to their slots.
  void forward(const std::vector<Append>& appends) {
    m_plan.build(m_store, appends, std::nullopt);
    std::int64_t row = 0;
    for (const Append& append : appends) {
      Modelled& sequence = m_model[append.sequence];
      for (std::int64_t i = 0; i < append.tokens; ++i, ++row) {
        sequence.tokens.push_back(++m_lastToken);
        if (const std::int32_t slot = m_plan.appendSlots[row]; slot >= 0) {
          EXPECT_LT(slot, m_plan.pageBound() * kPageSize);
          m_memory[static_cast<std::size_t>(slot)] = m_lastToken;
        }
      }
      sequence.slide();
    }
  }

  /// Every sequence reads back as the model has it, and no page is lost or in two blocks.
  void check() const {
    std::set<std::int32_t> blocks;
    for (const auto& [id, sequence] : m_model) {
      std::vector<std::int64_t> read;
      for (const std::int32_t slot : m_store.slotsOf(m_store.at(id))) {
        read.push_back(m_memory[static_cast<std::size_t>(slot)]);
      }
      EXPECT_EQ(read, sequence.tokens) << "sequence " << id;
      EXPECT_EQ(m_store.at(id).length, static_cast<std::int32_t>(sequence.tokens.size()));
      std::vector<std::int32_t> trace;
      m_store.trace(m_store.at(id), trace);
      blocks.insert(trace.begin(), trace.end());
      EXPECT_EQ(m_store.block(trace.back()).references, 1);
    }
    std::set<std::int32_t> pages;
    std::size_t held = 0;
    for (const std::int32_t block : blocks) {
      pages.insert(m_store.block(block).pages.begin(), m_store.block(block).pages.end());
      held += m_store.block(block).pages.size();
    }
    EXPECT_EQ(pages.size(), held);
    EXPECT_EQ(m_store.availablePages() + static_cast<std::int64_t>(held), m_config.pageCount);
    EXPECT_EQ(m_store.empty(), m_model.empty());
  }

 private:
  void copy(const std::optional<PageCopy>& pages) {
    for (std::int32_t i = 0; pages.has_value() && i < pages->tokens; ++i) {
      m_memory[static_cast<std::size_t>(pages->to * kPageSize + i)] =
          m_memory[static_cast<std::size_t>(pages->from * kPageSize + i)];
    }
  }

  runtime::StorageAllocator m_allocator{runtime::AllocatorKind::Naive};
  PagedKvConfig m_config;
  SequenceStore m_store;
  ForwardPlan m_plan;
  std::vector<std::int64_t> m_memory;
  std::map<std::int64_t, Modelled> m_model;
  std::int64_t m_lastToken = 0;
};

/// Random operations; those that are refused must change nothing.
class RandomOperations : public testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  std::int64_t upTo(std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(0, last)(m_random);
  }
  std::int64_t anyId(Cache& cache) {
    return std::next(cache.model().begin(), upTo(static_cast<std::int64_t>(cache.model().size()) - 1))->first;
  }
  std::vector<Append> anyAppends(Cache& cache) {
    std::vector<Append> appends;
    for (const auto& [id, sequence] : cache.model()) {
      if (appends.size() < 8 && upTo(2) != 0) {
        appends.push_back({id, upTo(3) == 0 ? 1 + upTo(9) : 1});
      }
    }
    std::shuffle(appends.begin(), appends.end(), m_random);
    return appends;
  }
  void step(Cache& cache, bool slides) {
    const std::int64_t choice = cache.model().empty() ? 0 : upTo(11);
    if (choice == 0) {
      cache.add(m_nextId++);
    } else if (choice == 1) {
      cache.remove(anyId(cache));
    } else if (choice <= 3) {
      const std::int64_t parent = anyId(cache);
      const auto length = static_cast<std::int64_t>(cache.model()[parent].tokens.size());
      cache.fork(parent, m_nextId++, upTo(length + 1) - 1);
    } else if (choice <= 5) {
      const std::int64_t id = anyId(cache);
      // The model forgets what left a window, so only sequences without one are popped at random.
      if (cache.model()[id].window == 0) {
        cache.pop(id, upTo(static_cast<std::int64_t>(cache.model()[id].tokens.size())));
      }
    } else if (choice == 6 && slides) {
      const std::int64_t window = 6 + upTo(10);
      cache.enableWindow(anyId(cache), window, upTo(window - 1));
    } else {
      cache.forward(anyAppends(cache));
    }
  }

  std::mt19937 m_random{std::get<0>(GetParam())};
  std::int64_t m_nextId = 0;
};

TEST_P(RandomOperations, KeepEveryToken) {
  const bool slides = std::get<1>(GetParam());
  Cache cache(40, slides);
  int refused = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::map<std::int64_t, Modelled> before = cache.model();
    try {
      step(cache, slides);
    } catch (const tvm::ffi::Error& error) {
      ++refused;
      cache.model() = before;
      EXPECT_THAT(error.message(), HasSubstr("KV cache: "));
    }
    cache.check();
    ASSERT_FALSE(HasFailure()) << "after step " << i;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 1200);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomOperations, testing::Combine(testing::Range(1U, 9U), testing::Bool()));

TEST(SequenceStore, ForkSharesWholePagesAndCopiesTheCutOne) {
  SequenceStore store(kPageSize, 10, false);
  store.add(0);
  store.append(store.at(0), 10);
  EXPECT_EQ(store.availablePages(), 7);
  const auto copy = store.fork(0, 1, -1);
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(copy->from, 2);
  EXPECT_EQ(copy->to, 3);
  EXPECT_EQ(copy->tokens, 2);
  EXPECT_EQ(store.availablePages(), 6);
  EXPECT_FALSE(store.fork(0, 2, 4).has_value());
  EXPECT_EQ(store.availablePages(), 6);
  store.remove(0);
  EXPECT_EQ(store.availablePages(), 7);
  store.remove(1);
  store.remove(2);
  EXPECT_TRUE(store.empty());
}

TEST(SequenceStore, ForkOfAFullPageLeavesTheParentARoomOfItsOwn) {
  SequenceStore store(kPageSize, 10, false);
  store.add(0);
  store.append(store.at(0), 8);
  EXPECT_FALSE(store.fork(0, 1, -1).has_value());
  store.append(store.at(0), 1);
  store.append(store.at(1), 1);
  EXPECT_THAT(store.slotsOf(store.at(0)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(store.slotsOf(store.at(1)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 12));
}

TEST(SequenceStore, WindowKeepsItsSinkAndTheNewestTokens) {
  SequenceStore store(kPageSize, 10, true);
  store.add(0);
  store.append(store.at(0), 9);
  store.enableWindow(0, 8, 2);
  store.append(store.at(0), 1);  // tokens 0, 1, 4, ... 9
  EXPECT_THAT(store.slotsOf(store.at(0)), ElementsAre(0, 1, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(store.availablePages(), 7);
  store.append(store.at(0), 4);  // the page of tokens 4 to 7 goes and comes back as a new one
  EXPECT_THAT(store.slotsOf(store.at(0)), ElementsAre(0, 1, 8, 9, 10, 11, 4, 5));
  EXPECT_EQ(store.availablePages(), 7);
}

TEST(SequenceStore, ErrorsNameWhatIsWrongAndChangeNothing) {
  SequenceStore store(kPageSize, 3, true);
  EXPECT_THAT(errorOf([&] { store.remove(7); }), HasSubstr("there is no sequence 7"));
  store.add(0);
  EXPECT_THAT(errorOf([&] { store.add(0); }), HasSubstr("sequence 0 exists already"));
  store.append(store.at(0), 6);
  EXPECT_THAT(errorOf([&] { store.fork(0, 1, 7); }), HasSubstr("from 0 to its length 6, got 7"));
  EXPECT_THAT(errorOf([&] { store.fork(0, 1, -2); }), HasSubstr("got -2"));
  EXPECT_THAT(errorOf([&] { store.fork(0, 0, 0); }), HasSubstr("sequence 0 exists already"));
  EXPECT_THAT(errorOf([&] { store.pop(0, 7); }), HasSubstr("of 6 tokens, 0 to as many can be popped, got 7"));
  EXPECT_THAT(errorOf([&] { store.pop(0, -1); }), HasSubstr("got -1"));
  EXPECT_THAT(errorOf([&] { store.enableWindow(0, 0, 0); }), HasSubstr("window should be positive, got 0"));
  EXPECT_THAT(errorOf([&] { store.enableWindow(0, 4, 4); }), HasSubstr("below the window of 4, got 4"));
  const Append tooMany{0, 7};
  EXPECT_THAT(errorOf([&] { store.checkAppends({&tooMany, 1}); }), HasSubstr("it is full: 7 more tokens"));
  store.fork(0, 1, -1);
  EXPECT_THAT(errorOf([&] { store.fork(0, 2, 1); }), HasSubstr("a fork within a page needs a free page"));
  EXPECT_EQ(store.at(0).length, 6);
  EXPECT_EQ(store.totalLength(), 12);
  store.clear();
  EXPECT_TRUE(store.empty());
}

TEST(SequenceStore, WindowsLimitForks) {
  SequenceStore store(kPageSize, 10, true);
  store.add(0);
  store.append(store.at(0), 8);
  store.enableWindow(0, 6, 5);
  EXPECT_THAT(errorOf([&] { store.enableWindow(0, 6, 0); }), HasSubstr("has a sliding window already"));
  EXPECT_THAT(errorOf([&] { store.fork(0, 1, 6); }), HasSubstr("only its first 5 tokens can be shared"));
  store.append(store.at(0), 1);
  EXPECT_THAT(store.slotsOf(store.at(0)), ElementsAre(0, 1, 2, 3, 4, 8));
  const auto copy = store.fork(0, 1, 5);  // cuts the pinned tokens
  ASSERT_TRUE(copy.has_value());
  EXPECT_THAT(store.slotsOf(store.at(0)), ElementsAre(0, 1, 2, 3, 4, 8));
  EXPECT_EQ(store.slotsOf(store.at(1)).size(), 5U);
}

TEST(TokenTree, RangesTellAncestors) {
  const std::vector<std::int64_t> parents = {-1, 0, 0, 1, -1, 2, 4};
  const TokenTree tree = TokenTree{}.extended(parents);
  const std::vector<std::int32_t> ranges = tree.walkRanges();
  for (std::int32_t node = 0; node < tree.size(); ++node) {
    const std::vector<std::int32_t> path = tree.pathTo(node);
    for (std::int32_t other = 0; other < tree.size(); ++other) {
      const auto place = ranges[static_cast<std::size_t>(node) * 2];
      const bool within = ranges[static_cast<std::size_t>(other) * 2] <= place &&
                          place < ranges[static_cast<std::size_t>(other) * 2 + 1];
      EXPECT_EQ(within, std::find(path.begin(), path.end(), other) != path.end())
          << node << " under " << other;
    }
  }
  EXPECT_THAT(tree.depths, ElementsAre(0, 1, 1, 2, 0, 2, 1));
  EXPECT_FALSE(tree.isChain);
  EXPECT_TRUE(TokenTree{}.extended(std::vector<std::int64_t>{-1, 0, 1}).isChain);
}

TEST(TokenTree, RefusesParentsThatAreNotEarlier) {
  EXPECT_THAT(errorOf([] { TokenTree{}.extended(std::vector<std::int64_t>{0}); }), HasSubstr("node 0"));
  EXPECT_THAT(errorOf([] { TokenTree{}.extended(std::vector<std::int64_t>{-1, 2}); }), HasSubstr("got 2"));
  EXPECT_THAT(errorOf([] { TokenTree{}.extended(std::vector<std::int64_t>{-2}); }), HasSubstr("got -2"));
  EXPECT_THAT(errorOf([] { TokenTree{}.extended(std::vector<std::int64_t>(257, -1)); }),
              HasSubstr("at most 256"));
}

TEST(ForwardPlan, ErrorsComeBeforeChanges) {
  Cache cache(4, false);
  cache.add(0);
  cache.add(1);
  const auto error = [&](std::vector<Append> appends, std::optional<std::vector<std::int64_t>> parents = {}) {
    return errorOf([&] {
      std::optional<std::span<const std::int64_t>> tree;
      if (parents.has_value()) {
        tree = *parents;
      }
      cache.plan().build(cache.store(), appends, tree);
    });
  };
  EXPECT_THAT(error({}), HasSubstr("takes 1 to 8 sequences, got 0"));
  EXPECT_THAT(error({{0, 1}, {5, 1}}), HasSubstr("there is no sequence 5"));
  EXPECT_THAT(error({{0, 0}}), HasSubstr("1 to 40 tokens in a forward pass, got 0"));
  EXPECT_THAT(error({{0, INT64_MAX}}), HasSubstr("1 to 40 tokens"));
  EXPECT_THAT(error({{0, 30}, {1, 30}}), HasSubstr("at most 40 tokens (its prefill chunk size), got 60"));
  EXPECT_THAT(error({{0, 1}, {0, 1}}), HasSubstr("named twice"));
  EXPECT_THAT(error({{0, 12}, {1, 8}}),
              HasSubstr("it is full: 8 more tokens of sequence 1 need 2 new page(s)"));
  EXPECT_THAT(error({{0, 2}}, std::vector<std::int64_t>{-1}),
              HasSubstr("2 new tokens need as many tree parents"));
  EXPECT_THAT(error({{0, 2}}, std::vector<std::int64_t>{-1, 1}), HasSubstr("parent of tree node 1"));
  EXPECT_EQ(cache.store().totalLength(), 0);
  EXPECT_EQ(cache.store().availablePages(), 4);
  EXPECT_FALSE(cache.plan().ready());
  EXPECT_EQ(error({{0, 2}}, std::vector<std::int64_t>{-1, 0}), "no error");
  EXPECT_THAT(error({{0, 1}}), HasSubstr("commit its accepted nodes before"));
  EXPECT_THAT(errorOf([&] { cache.store().fork(0, 2, -1); }),
              HasSubstr("cannot be forked before the accepted"));
}

}  // namespace

}  // namespace opscope::vm
