// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/input_form_view.h"

#include <QFileDialog>
#include <QSignalBlocker>
#include <limits>

#include "ui/models/format.h"
#include "ui/views/look/properties.h"

namespace opscope::ui {
namespace {

/// More inputs than this are weights in most cases: all random, and a form of a thousand rows helps nobody.
constexpr int kFieldsAtMost = 24;

/// With more inputs than this the button for files, which the list of sources has too, would fill the panel.
constexpr std::size_t kRoomyFields = 2;

constexpr int kUsersAtMost = 4;

/// In the narrowest panel, for the name of a dimension and one word about it.
constexpr double kRoomBesideSize = 100;

/// Takes 0 when it is typed, since the form says what is wrong with it and a field that makes it 1 says
/// nothing; steps end at 1.
class SizeBox : public QSpinBox {
 protected:
  StepEnabled stepEnabled() const override {
    return value() > 1 ? QSpinBox::stepEnabled() : StepEnabled(StepUpEnabled);
  }
};

/// Of many inputs the first; the tooltip has all.
QString usedWords(const DimensionField& field) {
  QStringList names = field.usedBy.mid(0, kUsersAtMost);
  const qsizetype more = field.usedBy.size() - names.size();
  QString words = QStringLiteral("used by ") + names.join(QLatin1String(", "));
  if (more > 0) words += QStringLiteral(" and %1 more").arg(more);
  return words + QStringLiteral(", ") + format::counted(field.uses, "place", "places");
}

/// A word at the left end of a field, part of it for the eye.
void labelInside(const Theme* theme, QLineEdit* field, const QString& words) {
  auto* label = new Text(theme, 12, &Colours::textSecondary, QFont::Normal, field);
  label->setText(words);
  label->setAttribute(Qt::WA_TransparentForMouseEvents);
  auto* inside = new QHBoxLayout(field);
  inside->setContentsMargins(theme->px(8), 0, 0, 0);
  inside->addWidget(label, 0, Qt::AlignLeft | Qt::AlignVCenter);
  field->setTextMargins(label->sizeHint().width() + theme->px(4), 0, 0, 0);
}

/// Room for the number, its margins and the steps; a short one has the width of the look.
void fitToNumber(const Theme* theme, QSpinBox* field) {
  const int number = field->fontMetrics().horizontalAdvance(QString::number(field->value()));
  field->setFixedWidth(std::max(theme->px(82), number + theme->px(40)));
}

}  // namespace

InputFormView::InputFormView(const Theme* theme, InputForm* form, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_form(form) {
  m_layout = new QVBoxLayout(this);
  m_layout->setContentsMargins(theme->px(12), theme->px(8), theme->px(12), theme->px(12));
  m_layout->setSpacing(theme->px(6));
  connect(form, &InputForm::rebuilt, this, &InputFormView::rebuild);
  connect(form, &InputForm::changed, this, &InputFormView::refresh);
  rebuild();
}

void InputFormView::rebuild() {
  clearLayout(m_layout);
  m_fields.clear();
  m_dimensions.clear();
  const QString function = QString::fromStdString(m_form->function().name);
  setVisible(!function.isEmpty() && !m_suppressed);
  if (function.isEmpty()) return;
  addHead(function);
  if (!m_form->dimensions().empty()) {
    auto* label = new Text(m_theme, 12, &Colours::textSecondary, QFont::DemiBold);
    label->setText(QStringLiteral("Free dimensions"));
    m_layout->addWidget(label);
  }
  for (int i = 0; i < int(m_form->dimensions().size()); ++i) addDimension(i);
  const int count = int(m_form->fields().size());
  for (int i = 0; i < std::min(count, kFieldsAtMost); ++i) addField(i);
  if (count > kFieldsAtMost || count == 0) {
    auto* note = new Text(m_theme, 12, &Colours::textSecondary);
    note->setWordWrap(true);
    note->setText(
        count == 0
            ? QStringLiteral("This function takes no inputs.")
            : QStringLiteral("%1 more inputs are random. Give their values with --input or a .npz file.")
                  .arg(count - kFieldsAtMost));
    m_layout->addWidget(note);
  }
  refresh();
}

void InputFormView::addHead(const QString& function) {
  auto* head = new QHBoxLayout;
  head->setSpacing(m_theme->px(8));
  auto* title = new ElidedText(m_theme, 13, &Colours::text, QFont::DemiBold);
  title->setText(QStringLiteral("Inputs of %1").arg(function));
  head->addWidget(title, 1);
  auto* scenario = new LinkButton(m_theme, QStringLiteral("Scenario…"));
  scenario->setToolTip(
      QStringLiteral("Run a scenario instead: calls that share state, from a .json file (Ctrl+Shift+R)"));
  connect(scenario, &QAbstractButton::clicked, this, &InputFormView::scenarioWanted, Qt::QueuedConnection);
  head->addWidget(scenario);
  auto* reset = new LinkButton(m_theme, QStringLiteral("Reset"));
  reset->setToolTip(QStringLiteral("Put every input back to random values (Ctrl+R)"));
  connect(reset, &QAbstractButton::clicked, m_form, &InputForm::reset, Qt::QueuedConnection);
  head->addWidget(reset);
  m_layout->addLayout(head);
}

void InputFormView::setSuppressed(bool suppressed) {
  m_suppressed = suppressed;
  setVisible(!suppressed && !m_form->function().name.empty());
}

void InputFormView::addDimension(int index) {
  const DimensionField& field = m_form->dimensions()[std::size_t(index)];
  DimensionWidgets widgets;
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(8));
  row->addWidget(new IconLabel(lookIcon(m_theme, "dimension", IconInk::Secondary), m_theme->px(16)));
  auto* name = new ElidedText(m_theme, 13, &Colours::text, QFont::DemiBold);
  name->setFixedFont(true);
  name->setText(field.name);
  row->addWidget(name);
  widgets.value = new SizeBox;
  widgets.value->setRange(0, std::numeric_limits<int>::max());
  widgets.value->setValue(int(std::clamp<qint64>(field.value, 0, std::numeric_limits<int>::max())));
  widgets.value->setAlignment(Qt::AlignRight);
  widgets.value->setAccessibleName(QStringLiteral("Size of free dimension %1").arg(field.name));
  fitToNumber(m_theme, widgets.value);
  connect(widgets.value, &QSpinBox::valueChanged, this, [this, index](int value) {
    fitToNumber(m_theme, m_dimensions[std::size_t(index)].value);
    m_form->setDimension(index, value);
  });
  row->addWidget(widgets.value);
  m_layout->addLayout(row);
  addUsers(field, row);
  widgets.problem = new Text(m_theme, 12, &Colours::error);
  widgets.problem->setWordWrap(true);
  m_layout->addWidget(widgets.problem);
  m_dimensions.push_back(widgets);
}

void InputFormView::addUsers(const DimensionField& field, QHBoxLayout* row) {
  const QString words = usedWords(field);
  const QFontMetrics metrics(m_theme->font(12));
  int longest = 0;
  for (const QString& word : words.split(QLatin1Char(' ')))
    longest = std::max(longest, metrics.horizontalAdvance(word));
  const int name = QFontMetrics(m_theme->fixedFont(13)).horizontalAdvance(field.name);
  if (name + longest > m_theme->px(kRoomBesideSize)) {
    auto* below = new ElidedText(m_theme, 12, &Colours::textSecondary);
    below->setText(words);
    m_layout->addWidget(below);
    row->addStretch(1);
    return;
  }
  auto* beside = new Text(m_theme, 12, &Colours::textSecondary);
  beside->setWordWrap(true);
  beside->setText(words);
  beside->setToolTip(QStringLiteral("used by %1").arg(field.usedBy.join(QLatin1String(", "))));
  row->addWidget(beside, 1);
}

void InputFormView::addField(int index) {
  const InputField& field = m_form->fields()[std::size_t(index)];
  FieldWidgets widgets;
  m_layout->addSpacing(m_theme->px(4));
  auto* name = new ElidedText(m_theme, 12, &Colours::text, QFont::DemiBold);
  name->setText(field.name);
  m_layout->addWidget(name);
  widgets.type = new Text(m_theme, 12, &Colours::textSecondary);
  widgets.type->setFixedFont(true);
  widgets.type->setWordWrap(true);
  m_layout->addWidget(widgets.type);
  const bool tensor =
      field.parameter.kind == vm::ParameterKind::Tensor || field.parameter.kind == vm::ParameterKind::Opaque;
  if (tensor) {
    addTensorControls(index, widgets);
  } else {
    widgets.text = new QLineEdit;
    widgets.text->setAccessibleName(QStringLiteral("Value of %1").arg(field.name));
    widgets.text->setPlaceholderText(
        field.parameter.kind == vm::ParameterKind::Shape ? QStringLiteral("from the free dimensions, or 2x3")
        : field.parameter.kind == vm::ParameterKind::String ? QStringLiteral("text")
                                                            : QStringLiteral("const:1"));
    connect(widgets.text, &QLineEdit::textEdited, this,
            [this, index](const QString& text) { m_form->setText(index, text); });
    m_layout->addWidget(widgets.text);
  }
  widgets.problem = new Text(m_theme, 12, &Colours::error);
  widgets.problem->setWordWrap(true);
  m_layout->addWidget(widgets.problem);
  widgets.useRandom = new LinkButton(m_theme, QStringLiteral("Use random values instead"));
  connect(widgets.useRandom, &QAbstractButton::clicked, this,
          [this, index]() { m_form->setSource(index, InputSource::Random); });
  m_layout->addWidget(widgets.useRandom);
  m_fields.push_back(widgets);
}

void InputFormView::addTensorControls(int index, FieldWidgets& widgets) {
  const InputField& field = m_form->fields()[std::size_t(index)];
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(6));
  widgets.source = new QComboBox;
  for (const char* words :
       {"random", "random between", "zeros", "ones", "range", "constant", "from a file"}) {
    widgets.source->addItem(QString::fromUtf8(words));
  }
  widgets.source->setAccessibleName(QStringLiteral("Values of %1").arg(field.name));
  widgets.source->setMinimumWidth(m_theme->px(90));
  connect(widgets.source, &QComboBox::activated, this,
          [this, index](int source) { m_form->setSource(index, InputSource(source)); });
  row->addWidget(widgets.source, 2);
  widgets.seed = new QLineEdit;
  widgets.seed->setAlignment(Qt::AlignRight);
  labelInside(m_theme, widgets.seed, QStringLiteral("seed"));
  widgets.seed->setMinimumWidth(m_theme->px(78));
  widgets.seed->setToolTip(QStringLiteral("Seed of the random values"));
  widgets.seed->setAccessibleName(QStringLiteral("Seed of %1").arg(field.name));
  connect(widgets.seed, &QLineEdit::textEdited, this, [this, index](const QString& text) {
    bool whole = false;
    const quint64 seed = text.trimmed().toULongLong(&whole);
    setInvalid(m_fields[std::size_t(index)].seed, !whole);
    if (whole) m_form->setSeed(index, seed);
  });
  row->addWidget(widgets.seed, 1);
  widgets.constant = new QLineEdit;
  widgets.constant->setAlignment(Qt::AlignRight);
  widgets.constant->setAccessibleName(QStringLiteral("Constant value of %1").arg(field.name));
  connect(widgets.constant, &QLineEdit::textEdited, this,
          [this, index](const QString& text) { m_form->setConstant(index, text); });
  row->addWidget(widgets.constant, 1);
  m_layout->addLayout(row);
  addRangeRow(index, widgets);
  addFileRow(index, widgets);
}

void InputFormView::addRangeRow(int index, FieldWidgets& widgets) {
  const InputField& field = m_form->fields()[std::size_t(index)];
  widgets.rangeRow = new QWidget;
  auto* row = new QHBoxLayout(widgets.rangeRow);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(m_theme->px(6));
  const auto add = [&](const QString& label, const QString& name, const QString& toolTip) {
    auto* edit = new QLineEdit;
    edit->setAlignment(Qt::AlignRight);
    edit->setAccessibleName(name.arg(field.name));
    edit->setToolTip(toolTip);
    labelInside(m_theme, edit, label);
    edit->setMinimumWidth(m_theme->px(78));
    connect(edit, &QLineEdit::textEdited, this, [this, index]() {
      const FieldWidgets& own = m_fields[std::size_t(index)];
      m_form->setRange(index, own.low->text(), own.high->text());
    });
    row->addWidget(edit, 1);
    return edit;
  };
  widgets.low = add(QStringLiteral("from"), QStringLiteral("Least value of %1"),
                    QStringLiteral("The least random value"));
  widgets.high = add(QStringLiteral("to"), QStringLiteral("Largest value of %1"),
                     QStringLiteral("Random values are below this; whole numbers come up to it"));
  m_layout->addWidget(widgets.rangeRow);
}

void InputFormView::addFileRow(int index, FieldWidgets& widgets) {
  const InputField& field = m_form->fields()[std::size_t(index)];
  widgets.fileRow = new QWidget;
  auto* rows = new QVBoxLayout(widgets.fileRow);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(m_theme->px(6));
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(6));
  rows->addLayout(row);
  widgets.file = new QLineEdit;
  widgets.file->setPlaceholderText(QStringLiteral("x.npy, or all.npz:key"));
  widgets.file->setAccessibleName(QStringLiteral("File of %1").arg(field.name));
  connect(widgets.file, &QLineEdit::textEdited, this, [this, index](const QString& text) {
    const qsizetype npz = text.indexOf(QLatin1String(".npz:"));
    if (npz >= 0) {
      m_form->setFile(index, text.left(npz + 4).trimmed(), text.mid(npz + 5));
      return;
    }
    const InputField& now = m_form->fields()[std::size_t(index)];
    m_form->setFile(index, text.trimmed(), text.trimmed() == now.file ? now.key : QString());
  });
  row->addWidget(widgets.file, 1);
  auto* choose =
      iconButton(m_theme, "open", QStringLiteral("Choose a .npy or .npz file for %1").arg(field.name), this);
  connect(choose, &QToolButton::clicked, this, [this, index]() { askFile(index); });
  row->addWidget(choose);
  widgets.key = new ArrayKeyCombo(m_theme);
  widgets.key->setAccessibleName(QStringLiteral("Array for %1").arg(field.name));
  connect(widgets.key, &ArrayKeyCombo::keyChosen, this, [this, index](const QString& key) {
    m_form->setFile(index, m_form->fields()[std::size_t(index)].file, key);
  });
  rows->addWidget(widgets.key);
  m_layout->addWidget(widgets.fileRow);
  widgets.take = new ActionButton(m_theme, "open", QStringLiteral("Take from a .npy or .npz file"));
  widgets.take->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(widgets.take, &QPushButton::clicked, this, [this, index]() { askFile(index); });
  m_layout->addWidget(widgets.take);
}

void InputFormView::askFile(int index) {
  auto* dialog =
      new QFileDialog(this, QStringLiteral("Values of %1").arg(m_form->fields()[std::size_t(index)].name),
                      QString(), QStringLiteral("Arrays (*.npy *.npz);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this, index](const QString& file) {
    // The form looks for the array of the input's own name.
    m_form->setFile(index, file, {});
    m_form->setSource(index, InputSource::File);
  });
  dialog->open();
}

void InputFormView::refresh() {
  for (std::size_t i = 0; i < m_dimensions.size() && i < m_form->dimensions().size(); ++i) {
    const DimensionField& field = m_form->dimensions()[i];
    setInvalid(m_dimensions[i].value, !field.problem.isEmpty());
    m_dimensions[i].problem->setText(field.problem);
    m_dimensions[i].problem->setVisible(!field.problem.isEmpty());
  }
  for (std::size_t i = 0; i < m_fields.size() && i < m_form->fields().size(); ++i) refreshField(int(i));
}

void InputFormView::refreshField(int index) {
  const InputField& field = m_form->fields()[std::size_t(index)];
  const FieldWidgets& widgets = m_fields[std::size_t(index)];
  const double bytes = m_form->resolvedBytes(field.parameter);
  QString type = m_form->resolvedType(field.parameter);
  if (bytes > 0) type += QStringLiteral("  ") + format::bytes(bytes);
  widgets.type->setText(type);
  const bool bad = !field.problem.isEmpty();
  if (widgets.source != nullptr) {
    const QSignalBlocker block(widgets.source);
    widgets.source->setCurrentIndex(int(field.source));
    const bool inRange = field.source == InputSource::RandomRange;
    widgets.seed->setVisible(field.source == InputSource::Random || inRange);
    widgets.rangeRow->setVisible(inRange);
    if (!widgets.low->hasFocus()) widgets.low->setText(field.low);
    if (!widgets.high->hasFocus()) widgets.high->setText(field.high);
    for (QLineEdit* end : {widgets.low, widgets.high}) setInvalid(end, bad && inRange);
    if (!widgets.seed->hasFocus()) widgets.seed->setText(QString::number(field.seed));
    widgets.constant->setVisible(field.source == InputSource::Constant);
    if (!widgets.constant->hasFocus()) widgets.constant->setText(field.constant);
    const bool file = field.source == InputSource::File;
    widgets.fileRow->setVisible(file);
    widgets.take->setVisible(!file && m_form->fields().size() <= kRoomyFields);
    refreshFile(field, widgets);
    setInvalid(widgets.constant, bad && field.source == InputSource::Constant);
    setInvalid(widgets.source, bad && !file && !inRange && field.source != InputSource::Constant);
  } else {
    if (!widgets.text->hasFocus()) widgets.text->setText(field.text);
    setInvalid(widgets.text, bad);
  }
  widgets.problem->setText(field.problem);
  widgets.problem->setVisible(bad);
  widgets.useRandom->setVisible(bad && widgets.source != nullptr && field.source != InputSource::Random);
}

void InputFormView::refreshFile(const InputField& field, const FieldWidgets& widgets) {
  if (!widgets.file->hasFocus()) widgets.file->setText(field.file);
  widgets.file->setToolTip(field.file);
  const session::ArrayListing* listing = m_form->listingOf(field);
  const bool archive = listing != nullptr ? listing->isArchive && !listing->problem : !field.key.isEmpty();
  widgets.key->setVisible(archive);
  widgets.key->setArrays(listing);
  if (!widgets.key->lineEdit()->hasFocus()) widgets.key->setKey(field.key);
  const bool bad = !field.problem.isEmpty() && field.source == InputSource::File;
  setInvalid(widgets.file, bad);
  setInvalid(widgets.key, bad);
}

void InputFormView::focusProblem() {
  for (std::size_t i = 0; i < m_fields.size(); ++i) {
    if (m_form->fields()[i].problem.isEmpty()) continue;
    QWidget* target =
        m_fields[i].text != nullptr ? static_cast<QWidget*>(m_fields[i].text) : m_fields[i].source;
    if (target != nullptr) target->setFocus();
    return;
  }
}

void InputFormView::chooseAnotherFile() {
  for (std::size_t i = 0; i < m_fields.size(); ++i) {
    const InputField& field = m_form->fields()[i];
    if (field.problem.isEmpty() || field.source != InputSource::File) continue;
    askFile(int(i));
    return;
  }
}

}  // namespace opscope::ui
