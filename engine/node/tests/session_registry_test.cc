// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/session_registry.h"

#include <gtest/gtest.h>

#include "engine/node/lease_keeper.h"

namespace shadowvm::node {
namespace {

constexpr TimePoint kStart{};
constexpr Milliseconds kLease{1000};

base::ErrorCode CodeOf(const base::Status& status) {
  EXPECT_FALSE(status.ok());
  return base::CodeOf(status);
}

TEST(SessionRegistry, RenewsALease) {
  SessionRegistry sessions;
  const std::string session = sessions.Open(kLease, kStart);
  EXPECT_TRUE(sessions.Renew(session, kStart + Milliseconds(900)).ok());
  EXPECT_TRUE(sessions.TakeExpired(kStart + Milliseconds(1800)).empty());
  EXPECT_TRUE(sessions.Renew(session, kStart + Milliseconds(1800)).ok());
}

TEST(SessionRegistry, RefusesWhatHasEnded) {
  SessionRegistry sessions;
  const std::string session = sessions.Open(kLease, kStart);
  // Also before anybody has swept it.
  EXPECT_EQ(CodeOf(sessions.Renew(session, kStart + kLease)), base::ErrorCode::kUnknownSession);
  EXPECT_EQ(CodeOf(sessions.Renew("", kStart)), base::ErrorCode::kUnknownSession);
  EXPECT_EQ(CodeOf(sessions.Renew("other", kStart)), base::ErrorCode::kUnknownSession);
}

TEST(SessionRegistry, TakesOnlyThoseThatExpired) {
  SessionRegistry sessions;
  const std::string brief = sessions.Open(kLease, kStart);
  const std::string patient = sessions.Open(kLease * 10, kStart);
  EXPECT_NE(brief, patient);
  EXPECT_EQ(sessions.TakeExpired(kStart + kLease), std::vector<std::string>{brief});
  EXPECT_TRUE(sessions.TakeExpired(kStart + kLease).empty());
  EXPECT_EQ(sessions.size(), 1);
  sessions.Close(patient);
  EXPECT_EQ(CodeOf(sessions.Renew(patient, kStart)), base::ErrorCode::kUnknownSession);
}

TEST(LeaseKeeper, EndsTheQueriesOfExpiredSessionsAlone) {
  memory::MemoryBudget budget(1 << 20);
  SessionRegistry sessions;
  QueryRegistry queries(&budget);
  SharedAnswers answers("/nowhere", &budget);
  const std::string gone = sessions.Open(kLease, kStart);
  const std::string alive = sessions.Open(kLease * 10, kStart);
  const auto lost = queries.Add(gone, "q", {}).ValueOrDie();
  const auto kept = queries.Add(alive, "q", {}).ValueOrDie();
  EndExpired(&sessions, {&queries, &answers}, kStart + kLease);
  EXPECT_TRUE(lost->cancel().cancelled());
  EXPECT_FALSE(kept->cancel().cancelled());
  EXPECT_FALSE(queries.Find(gone, "q").ok());
  EXPECT_TRUE(queries.Find(alive, "q").ok());
}

}  // namespace
}  // namespace shadowvm::node
