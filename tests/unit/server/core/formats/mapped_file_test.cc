#include "server/core/formats/mapped_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/table_files.h"
#include "tests/support/temporary_directory.h"

namespace posenc::server {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryDirectory;
using testing::WriteFile;

using FilePointer = std::shared_ptr<const MappedFile>;

constexpr std::size_t kPages = 8;

std::string Text(const FilePointer& file) {
  return {reinterpret_cast<const char*>(file->bytes().data()),
          file->bytes().size()};
}

std::size_t PageBytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Lets a later write be seen, however soon it comes.
void SetOldTime(const std::string& path) {
  const timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

class MappedFileTest : public ::testing::Test {
 protected:
  FilePointer Open(const std::string& content) {
    path_ = WriteFile(directory_.File("file"), content);
    SetOldTime(path_);
    auto file = MappedFile::Open(path_);
    EXPECT_TRUE(file.ok()) << file.status();
    return *std::move(file);
  }

  TemporaryDirectory directory_;
  std::string path_;
};

TEST_F(MappedFileTest, ShowsTheFile) {
  const FilePointer file = Open("content");
  EXPECT_EQ(Text(file), "content");
  EXPECT_EQ(file->identity().bytes, 7u);
  EXPECT_EQ(file->identity().modified_seconds, 1000000000);
  EXPECT_TRUE(file->Unchanged());
}

TEST_F(MappedFileTest, ShowsAnEmptyFile) {
  const FilePointer file = Open("");
  EXPECT_TRUE(file->bytes().empty());
  EXPECT_TRUE(file->Unchanged());
}

TEST_F(MappedFileTest, RefusesWhatIsNotThere) {
  const auto file = MappedFile::Open(directory_.File("nothing"));
  EXPECT_EQ(file.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(file.status().message(), HasSubstr("can't open it"));
}

TEST_F(MappedFileTest, RefusesWhatIsNoRegularFile) {
  const std::string pipe = directory_.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, directory_.path()}) {
    const auto file = MappedFile::Open(path);
    EXPECT_EQ(file.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(file.status().message(), "it is not a regular file");
  }
}

TEST_F(MappedFileTest, RefusesALink) {
  const std::string target = WriteFile(directory_.File("target"), "content");
  const std::string link = directory_.File("link");
  ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
  EXPECT_FALSE(MappedFile::Open(link).ok());
}

TEST_F(MappedFileTest, KeepsARemovedFile) {
  const FilePointer file = Open("content");
  ASSERT_EQ(unlink(path_.c_str()), 0);
  EXPECT_EQ(Text(file), "content");
  EXPECT_TRUE(file->Unchanged());
}

TEST_F(MappedFileTest, KeepsAReplacedFile) {
  const FilePointer file = Open("content");
  const std::string other = WriteFile(directory_.File("other"), "another");
  ASSERT_EQ(std::rename(other.c_str(), path_.c_str()), 0);
  EXPECT_EQ(Text(file), "content");
  EXPECT_TRUE(file->Unchanged());
}

TEST_F(MappedFileTest, NoticesARewriteOfTheSameSize) {
  const FilePointer file = Open("content");
  std::FILE* const writer = std::fopen(path_.c_str(), "r+b");
  ASSERT_NE(writer, nullptr);
  std::fputs("CONTENT", writer);
  std::fclose(writer);
  EXPECT_FALSE(file->Unchanged());
}

TEST_F(MappedFileTest, NoticesAppending) {
  const FilePointer file = Open("content");
  ASSERT_EQ(truncate(path_.c_str(), 100), 0);
  EXPECT_FALSE(file->Unchanged());
}

TEST_F(MappedFileTest, ReadsZerosWhereTheFileWasCutShort) {
  const FilePointer file = Open(std::string(kPages * PageBytes(), 'x'));
  ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(2 * PageBytes())), 0);
  EXPECT_FALSE(file->Unchanged());
  EXPECT_EQ(Text(file), std::string(2 * PageBytes(), 'x') +
                            std::string((kPages - 2) * PageBytes(), '\0'));
  EXPECT_FALSE(file->Unchanged());
}

TEST_F(MappedFileTest, StaysDamagedWhenTheFileIsPutBack) {
  const std::string content(kPages * PageBytes(), 'x');
  const FilePointer file = Open(content);
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  EXPECT_EQ(Text(file)[0], '\0');
  WriteFile(directory_.File("file"), content);
  SetOldTime(path_);
  EXPECT_FALSE(file->Unchanged());
}

TEST_F(MappedFileTest, DamagesNoOtherFile) {
  const FilePointer file = Open(std::string(kPages * PageBytes(), 'x'));
  const std::string content(kPages * PageBytes(), 'y');
  const auto other =
      MappedFile::Open(WriteFile(directory_.File("other"), content));
  ASSERT_TRUE(other.ok()) << other.status();
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  EXPECT_EQ(Text(file), std::string(kPages * PageBytes(), '\0'));
  EXPECT_EQ(Text(*other), content);
  EXPECT_TRUE((*other)->Unchanged());
}

TEST_F(MappedFileTest, SurvivesManyReadersOfACutFile) {
  const FilePointer file = Open(std::string(kPages * PageBytes(), 'x'));
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  std::vector<std::string> seen(8);
  std::vector<std::thread> threads;
  for (std::string& text : seen) {
    threads.emplace_back([&] { text = Text(file); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : seen) {
    EXPECT_EQ(text, std::string(kPages * PageBytes(), '\0'));
  }
  EXPECT_FALSE(file->Unchanged());
}

// A fresh process each, since the handler is installed once.
class SigbusDeathTest : public MappedFileTest {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    path_ = WriteFile(directory_.File("file"), "content");
  }

  // For the process that dies, and so removes nothing itself.
  void RemoveFiles() const { std::filesystem::remove_all(directory_.path()); }
};

TEST_F(SigbusDeathTest, AnotherSignalEndsTheProcess) {
  EXPECT_DEATH(
      {
        const auto file = MappedFile::Open(path_);
        RemoveFiles();
        raise(SIGBUS);
      },
      "");
}

TEST_F(SigbusDeathTest, AnotherFaultEndsTheProcess) {
  EXPECT_DEATH(
      {
        const auto file = MappedFile::Open(path_);
        const int other = open(path_.c_str(), O_RDWR);
        RemoveFiles();
        const void* const data =
            mmap(nullptr, PageBytes(), PROT_READ, MAP_SHARED, other, 0);
        if (ftruncate(other, 0) != 0) _exit(0);
        const char seen = *static_cast<const volatile char*>(data);
        _exit(seen);
      },
      "");
}

TEST_F(SigbusDeathTest, TheHandlerBeforeGetsAnotherSignal) {
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, [](int) { _exit(42); });
        const auto file = MappedFile::Open(path_);
        RemoveFiles();
        raise(SIGBUS);
      },
      ::testing::ExitedWithCode(42), "");
}

TEST_F(SigbusDeathTest, AnIgnoredSignalStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_IGN);
        const auto file = MappedFile::Open(path_);
        RemoveFiles();
        raise(SIGBUS);
        _exit(42);
      },
      ::testing::ExitedWithCode(42), "");
}

}  // namespace
}  // namespace posenc::server
