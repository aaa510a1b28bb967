// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/admission.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace shadowvm::node {
namespace {

using base::CodeOf;
using base::ErrorCode;
using base::Status;

constexpr int64_t kLimit = 100;

Status RanShort() { return base::MakeError(ErrorCode::kOutOfMemory, "x"); }

class AdmissionTest : public testing::Test {
 protected:
  // A query that holds bytes until the promise is kept.
  std::thread Hold(int64_t bytes, std::promise<void>* end) {
    std::promise<void> begun;
    std::thread thread([&, bytes, end] {
      const Status status = admission_.Admit(free_, [&] {
        EXPECT_TRUE(budget_.Reserve(bytes, "a state").ok());
        begun.set_value();
        end->get_future().wait();
        budget_.Release(bytes);
        return Status::OK();
      });
      EXPECT_TRUE(status.ok());
    });
    begun.get_future().wait();
    return thread;
  }
  void AwaitWaiting(int64_t count) {
    while (admission_.waiting() != count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  static Status Nothing() { return Status::OK(); }

  memory::MemoryBudget budget_{kLimit};
  std::atomic<int64_t> droppable_{0};
  Admission admission_{&budget_, [this] { return droppable_.load(); }, 2};
  schedule::CancelToken free_;
};

TEST_F(AdmissionTest, AQueryWaitsWhileOthersHoldMostOfTheMemory) {
  std::promise<void> end;
  std::thread other = Hold(kLimit * 6 / 10, &end);
  std::atomic<bool> ran{false};
  std::thread waiter([&] {
    EXPECT_TRUE(admission_
                    .Admit(free_,
                           [&] {
                             ran = true;
                             return Status::OK();
                           })
                    .ok());
  });
  AwaitWaiting(1);
  EXPECT_FALSE(ran);
  end.set_value();
  waiter.join();
  other.join();
  EXPECT_TRUE(ran);
  EXPECT_EQ(admission_.waiting(), 0);
}

TEST_F(AdmissionTest, WhatCanBeDroppedKeepsNobodyWaiting) {
  std::promise<void> end;
  std::thread other = Hold(kLimit * 6 / 10, &end);
  droppable_ = kLimit * 5 / 10;
  EXPECT_TRUE(admission_.Admit(free_, Nothing).ok());
  end.set_value();
  other.join();
}

TEST_F(AdmissionTest, ACancelledOneStopsWaiting) {
  std::promise<void> end;
  std::thread other = Hold(kLimit, &end);
  schedule::CancelToken cancel;
  auto waiter = std::async(std::launch::async, [&] { return admission_.Admit(cancel, Nothing); });
  AwaitWaiting(1);
  cancel.Cancel();
  EXPECT_EQ(CodeOf(waiter.get()), ErrorCode::kCancelled);
  EXPECT_EQ(admission_.waiting(), 0);
  end.set_value();
  other.join();
}

TEST_F(AdmissionTest, TheQueueIsBounded) {
  std::promise<void> end;
  std::thread other = Hold(kLimit, &end);
  auto first = std::async(std::launch::async, [&] { return admission_.Admit(free_, Nothing); });
  auto second = std::async(std::launch::async, [&] { return admission_.Admit(free_, Nothing); });
  AwaitWaiting(2);
  EXPECT_EQ(CodeOf(admission_.Admit(free_, Nothing)), ErrorCode::kOutOfMemory);
  end.set_value();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
  other.join();
}

// An answer that its client is still fetching holds memory though nothing runs.
TEST_F(AdmissionTest, OneThatRanShortBesideAnAnswerWaitsForIt) {
  ASSERT_TRUE(budget_.Reserve(kLimit * 4 / 10, "an answer").ok());
  int runs = 0;
  auto query = std::async(std::launch::async, [&] {
    return admission_.Admit(free_, [&] { return ++runs == 1 ? RanShort() : Status::OK(); });
  });
  AwaitWaiting(1);
  EXPECT_EQ(runs, 1);
  budget_.Release(kLimit * 4 / 10);
  EXPECT_TRUE(query.get().ok());
  EXPECT_EQ(runs, 2);
}

TEST_F(AdmissionTest, OneThatRanShortBesideOthersRunsAgainAlone) {
  std::promise<void> end;
  std::thread other = Hold(1, &end);
  int runs = 0;
  auto query = std::async(std::launch::async, [&] {
    return admission_.Admit(free_, [&] { return ++runs == 1 ? RanShort() : Status::OK(); });
  });
  AwaitWaiting(1);
  // Whoever comes now comes after it.
  auto next = std::async(std::launch::async, [&] { return admission_.Admit(free_, Nothing); });
  AwaitWaiting(2);
  end.set_value();
  EXPECT_TRUE(query.get().ok());
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(next.get().ok());
  other.join();
}

TEST_F(AdmissionTest, OneThatRanShortAloneHasFailed) {
  int runs = 0;
  const auto run = [&] {
    ++runs;
    return RanShort();
  };
  EXPECT_EQ(CodeOf(admission_.Admit(free_, run)), ErrorCode::kOutOfMemory);
  EXPECT_EQ(runs, 1);
}

TEST_F(AdmissionTest, OtherErrorsAreNotTriedAgain) {
  std::promise<void> end;
  std::thread other = Hold(1, &end);
  int runs = 0;
  const auto run = [&] {
    ++runs;
    return base::MakeError(ErrorCode::kOverflow, "x");
  };
  EXPECT_EQ(CodeOf(admission_.Admit(free_, run)), ErrorCode::kOverflow);
  EXPECT_EQ(runs, 1);
  end.set_value();
  other.join();
}

}  // namespace
}  // namespace shadowvm::node
