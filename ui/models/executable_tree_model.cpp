// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/executable_tree_model.h"

#include <algorithm>
#include <unordered_map>

#include "ui/models/format.h"
#include "ui/models/input_form.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kShownAtFirst = 10;
constexpr int kNamesInTitle = 4;
constexpr int kNamesInTooltip = 24;

QString functionTitle(const session::FunctionInfo& function, int atMost = kNamesInTitle) {
  QStringList names;
  for (const vm::Parameter& parameter : function.signature.parameters) {
    if (names.size() == atMost) {
      names << QStringLiteral("…");
      break;
    }
    names << format::fromUtf8(parameter.name);
  }
  return QStringLiteral("%1(%2)").arg(format::fromUtf8(function.name), names.join(QLatin1String(", ")));
}

}  // namespace

ExecutableTreeModel::ExecutableTreeModel(Part part, QObject* parent)
    : QAbstractItemModel(parent), m_part(part), m_root(std::make_unique<Node>()) {}

void ExecutableTreeModel::setExecutable(std::shared_ptr<const session::ExecutableInfo> info) {
  m_info = std::move(info);
  rebuild();
}

void ExecutableTreeModel::setRun(std::shared_ptr<const RunView> run) {
  m_run = std::move(run);
  if (m_part == Part::Rest) rebuild();
}

void ExecutableTreeModel::rebuild() {
  beginResetModel();
  m_root = std::make_unique<Node>();
  if (m_info) {
    if (m_part == Part::Functions) {
      addFunctions();
    } else {
      addKernels();
      const QString size =
          m_info->constantBytes > 0 ? format::bytes(double(m_info->constantBytes)) : QString();
      addTexts("Constants", NodeKind::Constant, m_info->constants, m_info->constantCount, size);
      addTexts("Imported modules", NodeKind::Module, m_info->importedModules, m_info->importedModules.size(),
               {});
    }
  }
  endResetModel();
}

ExecutableTreeModel::Node* ExecutableTreeModel::add(Node* parent, NodeKind kind, const QString& text,
                                                    const QString& right, const QString& tooltip) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->text = text;
  node->right = right;
  node->tooltip = tooltip;
  node->parent = parent;
  parent->children.push_back(std::move(node));
  return parent->children.back().get();
}

void ExecutableTreeModel::addFunctions() {
  const auto shown = std::count_if(m_info->functions.begin(), m_info->functions.end(),
                                   [](const auto& function) { return !function.isPrivate; });
  Node* section = add(m_root.get(), NodeKind::Section, QStringLiteral("Functions"), format::integer(shown));
  for (const session::FunctionInfo& function : m_info->functions) {
    if (function.isPrivate) continue;
    const QString mode = QStringLiteral("%1, %2").arg(
        format::fromUtf8(function.mode),
        format::counted(qint64(function.kernelCalls), "kernel call", "kernel calls"));
    Node* node = add(section, NodeKind::Function, functionTitle(function), {},
                     QStringLiteral("%1\n%2").arg(functionTitle(function, kNamesInTooltip), mode));
    for (const vm::Parameter& parameter : function.signature.parameters) {
      const QString name = format::fromUtf8(parameter.name);
      const QString type = format::fromUtf8(vm::describeParameter(parameter));
      add(node, NodeKind::Parameter, name, shortType(parameter), QStringLiteral("%1: %2").arg(name, type));
    }
    if (function.signature.resultKnown) {
      const vm::Parameter& result = function.signature.result;
      const bool many = result.kind == vm::ParameterKind::Tuple && result.members.size() > 1;
      const QString type = format::fromUtf8(vm::describeParameter(result));
      add(node, NodeKind::Result, QStringLiteral("result"),
          many ? QStringLiteral("%1 values").arg(result.members.size()) : shortType(result), type);
    }
  }
}

void ExecutableTreeModel::addKernels() {
  struct Times {
    double us = 0;
    double longest = -1;
    OpId op;
  };
  std::unordered_map<std::string_view, Times> times;
  if (m_run) {
    for (const report::OpRow& row : m_run->byOp.rows) {
      Times& time = times[report::nameOf(m_run->run(), row)];
      time.us += row.durationUs;
      if (row.durationUs > time.longest) {
        time.longest = row.durationUs;
        time.op = {row.name, row.shapes, row.device};
      }
    }
  }
  std::vector<const session::KernelEntry*> kernels;
  for (const session::KernelEntry& kernel : m_info->kernels) kernels.push_back(&kernel);
  const auto timeOf = [&](const session::KernelEntry* kernel) {
    const auto found = times.find(kernel->name);
    return found == times.end() ? -1.0 : found->second.us;
  };
  std::stable_sort(kernels.begin(), kernels.end(), [&](auto* a, auto* b) { return timeOf(a) > timeOf(b); });
  Node* section = add(m_root.get(), NodeKind::Section, QStringLiteral("Kernels"),
                      format::integer(qint64(kernels.size())));
  for (const session::KernelEntry* kernel : kernels) {
    const double us = timeOf(kernel);
    const QString name = format::fromUtf8(kernel->name);
    QStringList tooltip = format::brokenName(name);
    tooltip << format::counted(qint64(kernel->callSites), "call site", "call sites");
    if (!kernel->signature.empty()) tooltip << format::fromUtf8(kernel->signature);
    Node* node = add(section, NodeKind::Kernel, name,
                     us > 0 ? format::microseconds(us) + QStringLiteral("\u00A0µs") : QString(),
                     tooltip.join(QLatin1Char('\n')));
    node->opKind = report::kindOf(kernel->name);
    if (us >= 0) node->op = times[kernel->name].op;
  }
  fold(section);
}

void ExecutableTreeModel::addTexts(const char* title, NodeKind kind, const std::vector<std::string>& texts,
                                   std::uint64_t count, const QString& note) {
  Node* section =
      add(m_root.get(), NodeKind::Section, QString::fromUtf8(title), format::integer(qint64(count)), note);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const QString text = format::fromUtf8(texts[i]);
    add(section, kind, text, kind == NodeKind::Constant ? QStringLiteral("#%1").arg(i) : QString(), text);
  }
  fold(section);
}

void ExecutableTreeModel::fold(Node* section) {
  if (section->children.size() <= kShownAtFirst + 1) return;
  std::vector<std::unique_ptr<Node>> rest;
  for (std::size_t i = kShownAtFirst; i < section->children.size(); ++i)
    rest.push_back(std::move(section->children[i]));
  section->children.resize(kShownAtFirst);
  Node* more =
      add(section, NodeKind::More, QStringLiteral("%1 more").arg(format::integer(qint64(rest.size()))), {});
  more->hidden = std::move(rest);
}

void ExecutableTreeModel::showAll(const QModelIndex& more) {
  if (kindOf(more) != NodeKind::More) return;
  Node* section = const_cast<Node*>(node(more.parent()));
  const int row = more.row();
  beginRemoveRows(more.parent(), row, row);
  std::unique_ptr<Node> taken = std::move(section->children[std::size_t(row)]);
  section->children.pop_back();
  endRemoveRows();
  beginInsertRows(indexOf(section), row, row + int(taken->hidden.size()) - 1);
  for (auto& child : taken->hidden) section->children.push_back(std::move(child));
  endInsertRows();
}

const ExecutableTreeModel::Node* ExecutableTreeModel::node(const QModelIndex& index) const {
  return index.isValid() ? static_cast<const Node*>(index.internalPointer()) : m_root.get();
}

QModelIndex ExecutableTreeModel::indexOf(const Node* node) const {
  if (node == m_root.get() || node->parent == nullptr) return {};
  const auto& siblings = node->parent->children;
  const auto found =
      std::find_if(siblings.begin(), siblings.end(), [&](const auto& s) { return s.get() == node; });
  return createIndex(int(found - siblings.begin()), 0, node);
}

ExecutableTreeModel::NodeKind ExecutableTreeModel::kindOf(const QModelIndex& index) const {
  return node(index)->kind;
}

OpId ExecutableTreeModel::opOf(const QModelIndex& index) const {
  return node(index)->op;
}

QModelIndex ExecutableTreeModel::kernelIndex(const QString& name) const {
  for (const auto& section : m_root->children) {
    for (const auto& child : section->children) {
      if (child->kind == NodeKind::Kernel && child->text == name) return indexOf(child.get());
    }
  }
  return {};
}

QModelIndex ExecutableTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (column != 0 || row < 0 || parent.column() > 0) return {};
  const Node* owner = node(parent);
  if (std::size_t(row) >= owner->children.size()) return {};
  return createIndex(row, 0, owner->children[std::size_t(row)].get());
}

QModelIndex ExecutableTreeModel::parent(const QModelIndex& child) const {
  return child.isValid() ? indexOf(node(child)->parent) : QModelIndex();
}

int ExecutableTreeModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : int(node(parent)->children.size());
}

int ExecutableTreeModel::columnCount(const QModelIndex&) const {
  return 1;
}

QVariant ExecutableTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Node* item = node(index);
  switch (role) {
    case Qt::DisplayRole:
    case NodeNameRole:
      return item->text;
    case Qt::ToolTipRole:
      return item->tooltip.isEmpty() ? QVariant() : QVariant(item->tooltip);
    case Qt::AccessibleTextRole:
      return QString(item->text + QLatin1Char(' ') + item->right).trimmed();
    case NodeKindRole:
      return int(item->kind);
    case RightTextRole:
      return item->right;
    case NodeOpKindRole:
      return int(item->opKind);
    default:
      return {};
  }
}

Qt::ItemFlags ExecutableTreeModel::flags(const QModelIndex& index) const {
  return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
}

}  // namespace opscope::ui
