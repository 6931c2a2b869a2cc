// SPDX-License-Identifier: GPL-3.0-or-later
// File dialogs and the files of the window: what they look into, which folders they keep, names that cannot
// be told, and files of the store that is open.
#include <sys/inotify.h>
#include <unistd.h>

#include <QAbstractItemView>
#include <QFileDialog>

#include "engine/base/atomic_file.h"
#include "engine/session/array_listing.h"
#include "tests/ui/support/keyboard_hand.h"
#include "tests/ui/support/window_stage.h"
#include "ui/shell/dialog_folders.h"

namespace opscope::ui::testing {
namespace {

/// Tells which files of a folder were opened, by whomever.
class OpenWatch {
 public:
  explicit OpenWatch(const QString& folder) : m_queue(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    ::inotify_add_watch(m_queue, QFile::encodeName(folder).constData(), IN_OPEN);
  }
  ~OpenWatch() { ::close(m_queue); }
  QStringList opened() const {
    QStringList names;
    alignas(inotify_event) char bytes[4096];
    for (ssize_t size = ::read(m_queue, bytes, sizeof bytes); size > 0;
         size = ::read(m_queue, bytes, sizeof bytes)) {
      for (ssize_t at = 0; at < size;) {
        const auto* event = reinterpret_cast<const inotify_event*>(bytes + at);
        if (event->len > 0 && (event->mask & IN_ISDIR) == 0) names << QString::fromUtf8(event->name);
        at += ssize_t(sizeof(inotify_event) + event->len);
      }
    }
    return names;
  }

 private:
  int m_queue;
};

QFileDialog* openDialog() {
  return qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
}

void write(const QString& path, const QByteArray& content) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(content);
}

/// With Ctrl.
void press(Stage& stage, Qt::Key key) {
  KeyboardHand(&stage.theme, stage.window.get()).press(key, Qt::ControlModifier);
}

/// Types the name into the dialog and presses Return.
void choose(Stage& stage, const QString& path) {
  KeyboardHand(&stage.theme, stage.window.get()).giveFile(path);
  QTRY_VERIFY(openDialog() == nullptr);
}

class FileDialogsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aDialogOpensNoFileOfTheFolderThatItLists() {
    Stage stage;
    const QTemporaryDir folder;
    const QString home = folder.path();
    for (const char* name : {"old.sqlite", "old.sqlite-wal", "old.sqlite-shm", "nosuffix", "model.so"})
      write(home + QLatin1Char('/') + QLatin1String(name), "text");
    QDir::setCurrent(home);
    press(stage, Qt::Key_O);
    QTRY_VERIFY(openDialog() != nullptr);
    const OpenWatch watch(home);
    openDialog()->setNameFilter(QStringLiteral("All files (*)"));
    openDialog()->setDirectory(home);
    const auto* list = openDialog()->findChild<QAbstractItemView*>(QStringLiteral("listView"));
    QVERIFY(list != nullptr);
    QTRY_VERIFY(list->model()->rowCount(list->rootIndex()) >= 5);
    openDialog()->setViewMode(QFileDialog::Detail);
    QTest::qWait(200);  // pictures and kinds of the rows come late
    QCOMPARE(watch.opened(), QStringList());
    QDir::setCurrent(QDir::rootPath());
    openDialog()->reject();
  }

  void foldersOfTheSystemAreListedWithoutAWait() {
    Stage stage;
    press(stage, Qt::Key_O);
    QTRY_VERIFY(openDialog() != nullptr);
    // Files there answer when the kernel has something to say.
    openDialog()->setNameFilter(QStringLiteral("All files (*)"));
    openDialog()->setViewMode(QFileDialog::Detail);
    openDialog()->setDirectory(QStringLiteral("/proc"));
    const auto* list = openDialog()->findChild<QAbstractItemView*>(QStringLiteral("treeView"));
    QVERIFY(list != nullptr);
    QTRY_VERIFY(list->model()->rowCount(list->rootIndex()) > 20);
    QTest::qWait(300);  // one that waits for the kernel does not come back
    openDialog()->reject();
  }

  void filesOfTheOpenStoreAreRefusedWithWords() {
    Stage stage;
    stage.store->save(syntheticDocument());
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
    QVERIFY(QFile::exists(stage.storeFile() + QStringLiteral("-shm")));
    stage.workspace->openFile(stage.storeFile() + QStringLiteral("-wal"));
    QTRY_VERIFY(stage.session.opens.size() == 1);  // the session's words are for what is no report
    const QString npz = stage.folder.filePath(QStringLiteral("arrays.npz"));
    QVERIFY(QFile::link(stage.storeFile(), npz));
    const session::ArrayListing listing = session::listArrays(npz.toStdString());
    QVERIFY(listing.problem.has_value());
    QCOMPARE(QString::fromStdString(listing.problem->message),
             QStringLiteral("Cannot read %1: it belongs to the store of runs that is open here").arg(npz));
    // The store itself opens as what it is: its newest run.
    stage.workspace->openFile(stage.storeFile());
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    // And nothing is written over it.
    stage.workspace->exportSession(stage.storeFile());
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QVERIFY(stage.workspace->failure()->error.message.find("store of runs that is open here") !=
            std::string::npos);
  }

  void aFolderThatCannotBeWrittenIsNotKept() {
    Stage stage;
    openExecutable(stage);
    runToEnd(stage);
    const QString good = stage.folder.filePath(QStringLiteral("good"));
    QVERIFY(QDir().mkdir(good));
    press(stage, Qt::Key_E);
    choose(stage, good + QStringLiteral("/report.json"));
    QTRY_VERIFY(QFile::exists(good + QStringLiteral("/report.json")));
    QCOMPARE(stage.settings->dialogFolder(), good);
    // The name is taken by a folder, so that writing fails whoever runs this.
    const QString bad = stage.folder.filePath(QStringLiteral("bad"));
    QVERIFY(QDir().mkpath(bad));
    QVERIFY(QFile::link(QStringLiteral("/dev/full"), bad + QStringLiteral("/full.json")));
    press(stage, Qt::Key_E);
    QTRY_VERIFY(openDialog() != nullptr);
    openDialog()->setOption(QFileDialog::DontConfirmOverwrite);
    choose(stage, bad + QStringLiteral("/full.json"));
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QCOMPARE(stage.workspace->failure()->during, Failure::During::Exporting);
    QCOMPARE(stage.settings->dialogFolder(), good);
    // Folders of the system hold nothing that is looked for twice.
    press(stage, Qt::Key_O);
    choose(stage, QStringLiteral("/proc/version"));
    QTRY_VERIFY(!stage.workspace->openPath().startsWith(stage.folder.path()));
    QCOMPARE(stage.settings->dialogFolder(), good);
  }

  void aNameThatIsNotUtf8IsToldToBeRenamed() {
    Stage stage;
    const QByteArray name = QFile::encodeName(stage.folder.path()) + "/caf\xe9.json";
    QVERIFY(base::writeFileAtomically(name.toStdString(), "{}"));
    stage.workspace->openFile(QFile::decodeName(name));
    QTRY_VERIFY(stage.workspace->failure().has_value());
    const base::Error& error = stage.workspace->failure()->error;
    QCOMPARE(error.code, base::ErrorCode::NotFound);
    QVERIFY(error.hint.find("rename the file") != std::string::npos);
  }
};

}  // namespace
}  // namespace opscope::ui::testing

QTEST_MAIN(opscope::ui::testing::FileDialogsTest)
#include "file_dialogs_test.moc"
