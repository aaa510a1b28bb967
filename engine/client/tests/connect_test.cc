// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/client/connect.h"

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "engine/base/tests/test_folder.h"
#include "engine/client/client.h"
#include "engine/node/node_service.h"

// The same frames, in this process and in a node.
namespace shadowvm::client {
namespace {

namespace fs = std::filesystem;
namespace flight = arrow::flight;

std::shared_ptr<arrow::Table> Sales() {
  arrow::Int64Builder amounts;
  arrow::StringBuilder cities;
  for (int64_t i = 0; i < 100'000; ++i) {
    EXPECT_TRUE(amounts.Append(i * 31 % 1009).ok());
    EXPECT_TRUE(cities.Append("city " + std::to_string(i % 17)).ok());
  }
  return arrow::Table::Make(
      arrow::schema({arrow::field("amount", arrow::int64()), arrow::field("city", arrow::utf8())}),
      {amounts.Finish().ValueOrDie(), cities.Finish().ValueOrDie()});
}

class ConnectTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    owned_.emplace();
    folder_ = owned_->path();
    local_ = Session::Make().ValueOrDie();
    ASSERT_TRUE(local_->AddTable("sales", Sales()).ok());
    ASSERT_TRUE(local_->Table("sales").WriteParquet(File()).ok());
    StartNode();
  }
  static void TearDownTestSuite() {
    StopNode();
    local_.reset();
    owned_.reset();
  }
  static void StartNode() {
    node_ = std::make_unique<node::NodeService>(exec::Engine::Make().ValueOrDie(), "test", folder_);
    const auto location = flight::Location::ForGrpcUnix(Socket()).ValueOrDie();
    ASSERT_TRUE(node_->Init(flight::FlightServerOptions(location)).ok());
  }
  static void StopNode() {
    ASSERT_TRUE(node_->Shutdown().ok());
    node_.reset();
  }

  static std::string File() { return (folder_ / "sales.parquet").string(); }
  static std::string Socket() { return (folder_ / "node.sock").string(); }

  static inline std::optional<base::TestFolder> owned_;
  static inline fs::path folder_;
  static inline std::shared_ptr<Session> local_;
  static inline std::unique_ptr<node::NodeService> node_;
};

void ExpectSame(const Frame& frame, const std::shared_ptr<Session>& here,
                const std::shared_ptr<Session>& there) {
  const auto expected = frame.WithSession(here).Collect();
  const auto answer = frame.WithSession(there).Collect();
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_GT((*expected)->num_rows(), 0);
  EXPECT_TRUE((*answer)->Equals(**expected)) << (*answer)->ToString();
}

TEST_F(ConnectTest, TheSameQueriesHaveTheSameAnswers) {
  const auto remote = Connect("unix:" + Socket()).ValueOrDie();
  const Frame sales = Scan(File());
  const Frame sums = sales.Filter(Col("amount") < 500)
                         .GroupBy({"city"})
                         .Aggregate({Sum(Col("amount")).As("total"), Count().As("rows")});
  ExpectSame(sums.OrderBy({Desc("total"), Asc("city")}), local_, remote);
  ExpectSame(
      sales
          .Join(sums.Filter(Col("total") > 100).Map({{"c", Col("city")}, {"t", Col("total")}}),
                {On("city", "c")})
          .TopN(100, {Asc("amount"), Asc("city"), Desc("t")}),
      local_, remote);
  ExpectSame(sales.OrderBy({Asc("city"), Asc("amount")}), local_, remote);
}

TEST_F(ConnectTest, FilesAreNamedAsThisProcessSeesThem) {
  const auto remote = Connect(Socket()).ValueOrDie();
  const fs::path relative = fs::relative(folder_);
  ExpectSame(Scan((relative / "sales.parquet").string()).Aggregate({Count()}), local_, remote);
  const std::string copy = (relative / "copy.parquet").string();
  ASSERT_TRUE(Scan(File()).Limit(5).WithSession(remote).WriteParquet(copy).ok());
  EXPECT_TRUE(fs::exists(folder_ / "copy.parquet"));
}

TEST_F(ConnectTest, ErrorsAreTheSame) {
  const auto remote = Connect(Socket()).ValueOrDie();
  const Frame missing = Scan((folder_ / "none.parquet").string());
  const auto here = missing.WithSession(local_).Collect().status();
  const auto there = missing.WithSession(remote).Collect().status();
  EXPECT_EQ(there.message(), here.message());
  EXPECT_EQ(base::CodeOf(there), base::ErrorCode::kFileMissing);
  EXPECT_EQ(base::CodeOf(remote->AddTable("t", Sales())), base::ErrorCode::kUnsupported);
}

TEST_F(ConnectTest, ANodeThatWasStartedAgainIsFoundAgain) {
  const auto remote = Connect(Socket()).ValueOrDie();
  const Frame count = Scan(File()).Aggregate({Count()});
  ExpectSame(count, local_, remote);
  StopNode();
  const auto lost = count.WithSession(remote).Collect().status();
  EXPECT_EQ(base::CodeOf(lost), base::ErrorCode::kNodeStopping) << lost;
  StartNode();
  // gRPC tries again after a while of its own.
  auto answer = count.WithSession(remote).Collect();
  for (int i = 0; i < 600 && !answer.ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    answer = count.WithSession(remote).Collect();
  }
  EXPECT_TRUE(answer.ok()) << answer.status();
}

TEST_F(ConnectTest, WhereNobodyListensNothingIsConnected) {
  const auto nobody = Connect((folder_ / "nobody.sock").string());
  ASSERT_FALSE(nobody.ok());
  EXPECT_EQ(base::CodeOf(nobody.status()), base::ErrorCode::kBadAddress);
  EXPECT_NE(nobody.status().message().find("nobody.sock: no such socket"), std::string::npos)
      << nobody.status();
  std::ofstream(folder_ / "file") << "no socket";
  const std::string said = Connect((folder_ / "file").string()).status().message();
  EXPECT_NE(said.find("file: no node answers there"), std::string::npos) << said;
  EXPECT_EQ(base::CodeOf(Connect("localhost:1234").status()), base::ErrorCode::kBadAddress);
}

}  // namespace
}  // namespace shadowvm::client
