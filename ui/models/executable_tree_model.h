// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of an executable: functions with parameters, kernels with their times, constants, imported
// modules. GUI thread; the panel owns it. Lists longer than ten show the rest on demand.
#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <vector>

#include "ui/bridge/session_types.h"
#include "ui/models/run_view.h"

namespace opscope::ui {

enum ExecutableRole {
  NodeKindRole = Qt::UserRole + 1,  ///< int of ExecutableTreeModel::NodeKind
  RightTextRole,                    ///< the quiet text at the right edge
  NodeOpKindRole,                   ///< int of report::OpKind for a kernel
  NodeNameRole,                     ///< function or kernel name
};

class ExecutableTreeModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum class NodeKind { Section, Function, Parameter, Result, Kernel, Constant, Module, More };
  enum class Part { Functions, Rest };

  explicit ExecutableTreeModel(Part part, QObject* parent = nullptr);

  void setExecutable(std::shared_ptr<const session::ExecutableInfo> info);
  /// Kernels are then sorted by time; null forgets times.
  void setRun(std::shared_ptr<const RunView> run);
  /// Shows the rows behind a "36 more".
  void showAll(const QModelIndex& more);

  NodeKind kindOf(const QModelIndex& index) const;
  /// The op with the longest time among those of a kernel's name; null without one.
  OpId opOf(const QModelIndex& index) const;
  QModelIndex kernelIndex(const QString& name) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  struct Node {
    NodeKind kind = NodeKind::Section;
    QString text;
    QString right;
    QString tooltip;
    report::OpKind opKind = report::OpKind::Other;
    OpId op;
    Node* parent = nullptr;
    std::vector<std::unique_ptr<Node>> children;
    std::vector<std::unique_ptr<Node>> hidden;  ///< of a More node: the rows that it stands for
  };

  Node* add(Node* parent, NodeKind kind, const QString& text, const QString& right,
            const QString& tooltip = {});
  void rebuild();
  void addFunctions();
  void addKernels();
  void addTexts(const char* title, NodeKind kind, const std::vector<std::string>& texts, std::uint64_t count,
                const QString& note);
  void fold(Node* section);
  const Node* node(const QModelIndex& index) const;
  QModelIndex indexOf(const Node* node) const;

  Part m_part;
  std::shared_ptr<const session::ExecutableInfo> m_info;
  std::shared_ptr<const RunView> m_run;
  std::unique_ptr<Node> m_root;
};

}  // namespace opscope::ui
