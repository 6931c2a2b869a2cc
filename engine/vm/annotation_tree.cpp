// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/annotation_tree.h"

namespace opscope::vm {

namespace {

constexpr int kDeepestNesting = 64;

bool isSpace(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n';
}
bool isDigit(char byte) {
  return byte >= '0' && byte <= '9';
}
// Names of parameters come from model files and hold nearly anything; bytes above ASCII belong to names.
bool isNameByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || isDigit(byte) || byte == '_' ||
         byte == '.' || static_cast<unsigned char>(byte) >= 0x80;
}
bool isEnd(char byte) {
  return byte == ',' || byte == ')' || byte == ']';
}

// Recursive descent. A value is a name, call, sequence or string followed by its end; whatever else (an
// expression) is one piece of text up to the next comma or closing bracket outside its own brackets.
class Parser {
 public:
  Parser(std::string_view text, char keySeparator) : m_text(text), m_keySeparator(keySeparator) {}

  std::optional<AnnotationNode> parseAll() {
    AnnotationNode node = value(0);
    skipSpaces();
    if (m_failed || m_at != m_text.size()) {
      return std::nullopt;
    }
    return node;
  }

 private:
  AnnotationNode value(int depth) {
    AnnotationNode node;
    skipSpaces();
    const std::size_t start = m_at;
    if (depth > kDeepestNesting) {
      m_failed = true;
      return node;
    }
    if (peek() == '"' || peek() == '\'') {
      skipString();
      node.kind = AnnotationNode::Kind::String;
    } else if (peek() == '(' || peek() == '[') {
      node.kind = AnnotationNode::Kind::Sequence;
      node.items = items(depth);
    } else {
      readNameOrCall(node, depth);
    }
    finish(node, start);
    return node;
  }

  void readNameOrCall(AnnotationNode& node, int depth) {
    const std::size_t start = m_at;
    while (isNameByte(peek())) {
      ++m_at;
    }
    if (peek() == '(' && m_at > start) {
      node.callee = m_text.substr(start, m_at - start);
      node.kind = AnnotationNode::Kind::Call;
      node.items = items(depth);
    }
  }

  // Ends the value here, or takes the rest as text when an operator follows.
  void finish(AnnotationNode& node, std::size_t start) {
    const std::size_t end = m_at;
    skipSpaces();
    if (m_failed || m_at == m_text.size() || isEnd(peek())) {
      node.text = m_text.substr(start, end - start);
      return;
    }
    skipExpression();
    std::size_t last = m_at;
    while (last > start && isSpace(m_text[last - 1])) {
      --last;
    }
    node = AnnotationNode{};
    node.text = m_text.substr(start, last - start);
  }

  std::vector<AnnotationNode> items(int depth) {
    const char close = peek() == '(' ? ')' : ']';
    ++m_at;
    std::vector<AnnotationNode> list;
    skipSpaces();
    while (!m_failed && peek() != close) {
      const std::string_view key = readKey();
      list.push_back(value(depth + 1));
      list.back().key = key;
      skipSpaces();
      if (peek() == ',') {
        ++m_at;
        skipSpaces();
      } else if (peek() != close) {
        m_failed = true;
      }
    }
    ++m_at;
    return list;
  }

  // "dtype=" or "a:"; keys of kernels may hold other signs, so they reach to the separator and a space.
  std::string_view readKey() {
    const std::size_t start = m_at;
    std::size_t at = m_at;
    while (at < m_text.size() && (isNameByte(m_text[at]) || (m_keySeparator == ':' && isKeyByte(at)))) {
      ++at;
    }
    if (at == start || at >= m_text.size() || m_text[at] != m_keySeparator ||
        (at + 1 < m_text.size() && m_text[at + 1] == '=')) {
      return {};
    }
    m_at = at + 1;
    return m_text.substr(start, at - start);
  }

  bool isKeyByte(std::size_t at) const {
    const char byte = m_text[at];
    const bool separator = byte == ':' && at + 1 < m_text.size() && isSpace(m_text[at + 1]);
    return !separator && !isSpace(byte) && !isEnd(byte) && byte != '(' && byte != '[';
  }

  void skipExpression() {
    int depth = 0;
    while (m_at < m_text.size() && (depth > 0 || !isEnd(peek()))) {
      const char byte = peek();
      if (byte == '"' || byte == '\'') {
        skipString();
        continue;
      }
      depth += byte == '(' || byte == '[' ? 1 : byte == ')' || byte == ']' ? -1 : 0;
      ++m_at;
    }
    m_failed = m_failed || depth != 0;
  }

  void skipString() {
    const char quote = m_text[m_at++];
    while (m_at < m_text.size() && m_text[m_at] != quote) {
      m_at += m_text[m_at] == '\\' ? 2 : 1;
    }
    m_failed = m_failed || m_at >= m_text.size();
    m_at = m_failed ? m_text.size() : m_at + 1;
  }

  char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
  void skipSpaces() {
    while (isSpace(peek())) {
      ++m_at;
    }
  }

  std::string_view m_text;
  char m_keySeparator;
  std::size_t m_at = 0;
  bool m_failed = false;
};

}  // namespace

std::optional<AnnotationNode> parseAnnotationTree(std::string_view text, char keySeparator) {
  return Parser(text, keySeparator).parseAll();
}

}  // namespace opscope::vm
