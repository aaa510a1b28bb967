// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/columns/segment.h"
#include "engine/columns/type.h"
#include "engine/plan/action_node.h"
#include "engine/plan/expression.h"

namespace shadowvm::vkernel {

// The target-neutral program of one pipeline: what to load, which steps narrow the rows, what
// happens to the rows that are left. A renderer turns it into kernel text; the executor binds its
// slots to data. Both walk the same lists, so slot numbers agree. Nothing in the text depends on
// literals, bases, dictionaries, sizes or the order of steps: those are arguments.
//
// Expressions refer to 'inputs' by ordinal: a column of the source, or a column of the build rows
// of a join.

// How a value is held in a kernel's registers.
enum class ValueClass : uint8_t { kBool, kInt, kWide, kFloat, kDouble, kText };
ValueClass ClassOf(columns::Type type);

// How a column of materialised rows is held: values at their natural width, dictionary codes, or
// strings.
enum class RowKind : uint8_t { kValue, kCodes, kText };

struct SourceColumn {
  int ordinal = 0;  // in the source's schema
  std::string name;
  columns::Type type;
  columns::Layout layout;
};

struct PayloadColumn {
  int join = 0;
  int column = 0;  // of the join's build rows
  std::string name;
  columns::Type type;
  bool nullable = false;
  RowKind kind = RowKind::kValue;
  bool used = false;  // by an expression; a column that only gives group codes is not
};

// What an expression's column number means.
struct Input {
  bool is_payload = false;
  int index = 0;  // in columns or payloads
};

enum class JoinForm : uint8_t {
  kDirect,         // addressed by key, spans every key the probe column can hold
  kDirectChecked,  // addressed by key, keys may lie outside
  kHash,
};

struct Join {
  std::string name;
  plan::JoinKind kind = plan::JoinKind::kInner;
  JoinForm form = JoinForm::kHash;
  bool unique = true;  // of pairs: at most one match a row; else rows expand
  std::vector<plan::ExpressionPtr> keys;
  int key_column = -1;      // direct: the key is this framed source column as it is
  int slot = 0;             // in the call's directs or hashes
  int step = -1;            // of the probe, in the steps of its level
  int level = 0;            // where it is probed; an expanding join opens level + 1
  bool reads_rows = false;  // some expression reads its payload, or its rows expand
  // Per key: the slot that translates a coded column to the table's string ids, or -1.
  std::vector<int> translations;

  // Whether the key is a string that is looked up by its bytes.
  bool FindsText(size_t key) const { return keys[key]->type.is_text() && translations[key] < 0; }
  bool FindsTexts() const;
  bool expands() const { return plan::GivesPairs(kind) && !unique; }
  // Rows without a match stay, with kNoRow for a build row.
  bool outer() const { return kind == plan::JoinKind::kLeftOuter; }
  // Level at which a matched build row can be read.
  int match_level() const { return expands() ? level + 1 : level; }
};

enum class StepKind : uint8_t {
  kRange,  // a framed column is not null and lies in a range
  kPass,   // a coded column is not null and its string meets a predicate
  kValid,  // a column is not null
  kNull,   // a column is null
  kWhere,  // a condition is true
  kProbe,  // a join's keys are met (anti: are not met)
};

struct Step {
  StepKind kind = StepKind::kWhere;
  int column = -1;                     // kRange, kPass, kValid, kNull: of 'columns'
  int slot = -1;                       // kRange, kPass
  plan::ExpressionPtr condition = {};  // kWhere
  int join = -1;                       // kProbe
  uint64_t after = 0;                  // steps of the same level that must run before, as a mask
};

// Bounds on one column, all of which hold. The executor makes one range a segment of them. With
// 'join' set the bounds are the least and the largest key of that join's build side instead: a
// cheap step before the probe, which the executor leaves out where it would drop little.
struct RangeSlot {
  int column = 0;
  int join = -1;
  struct Bound {
    plan::Op op;  // column op literal: kEqual, kLess, kLessEqual, kGreater, kGreaterEqual
    plan::Literal literal;
  };
  std::vector<Bound> bounds = {};
};

// A predicate on one coded column, over the column as input 0.
struct PassSlot {
  int column = 0;
  plan::ExpressionPtr predicate;
};

// Steps that see the same rows. Level 0 sees the source's rows and its steps may run in any order
// that 'after' allows; each further level sees the matches of one expanding join.
struct Level {
  int expand = -1;  // the join whose matches these rows are
  std::vector<Step> steps;
};

// A column that leaves the pipeline.
struct OutputColumn {
  std::string name;
  plan::ExpressionPtr value;
  columns::Type type;
  bool nullable = true;
  RowKind kind = RowKind::kValue;
};

enum class GroupKeyKind : uint8_t {
  kColumn,    // dense: a framed source column's value less an origin
  kCode,      // dense: a coded source column's code
  kJoinCode,  // dense: the group code of a join's match, 0 = no match
  kWords,     // hash: one or two words of key
};

struct GroupKey {
  GroupKeyKind kind = GroupKeyKind::kWords;
  int column = -1;                 // kColumn, kCode
  int join = -1;                   // kJoinCode
  plan::ExpressionPtr value = {};  // kWords
  bool nullable = false;
  int word = 0;  // kWords: first word of the key
};

enum class AccumulateOp : uint8_t {
  kCountValid,
  kSumInt,     // one word
  kSumWide,    // two words
  kSumDouble,  // one word, bits of a double
  kMinInt,
  kMaxInt,
  kMinWide,
  kMaxWide,
  kMinDouble,
  kMaxDouble,
  kMinText,  // two words: a Text
  kMaxText,
};
// Words an accumulator takes, its count of valid rows apart.
int WordsOf(AccumulateOp op);

// One accumulator of a group's row. Word 0 of every row counts its rows.
struct Accumulate {
  AccumulateOp op = AccumulateOp::kSumInt;
  plan::ExpressionPtr argument;
  int word = 1;
  int valid_word = -1;   // counts non-null arguments; -1: the argument is never null
  bool checked = false;  // kSumInt, kSumWide: an overflow is an error
};

enum class SinkForm : uint8_t {
  kCollect,
  kSingleGroup,
  kDenseGroups,
  kHashGroups,
  kTable,  // the table of a join on one integer key, by direct address; on a GPU alone
};

struct Sink {
  SinkForm form = SinkForm::kCollect;
  std::vector<OutputColumn> outputs;  // kCollect; kTable: the join's key
  std::vector<GroupKey> keys;         // dense and hash; kTable: dense ones of a build row's group
  int key_words = 0;                  // kHashGroups; word 0 holds null bits if any key is nullable
  std::vector<Accumulate> accumulates;
  int row_words = 1;  // accumulators of one group
};

struct Blueprint {
  std::string title;
  std::vector<SourceColumn> columns;
  std::vector<PayloadColumn> payloads;
  std::vector<Input> inputs;
  std::vector<Join> joins;
  std::vector<RangeSlot> ranges;
  std::vector<PassSlot> passes;
  std::vector<Level> levels;  // at least one
  int num_directs = 0;
  int num_hashes = 0;
  int num_translations = 0;
  Sink sink;
};

// The column that a step reads; -1 where there is none, or not only one.
int StepColumn(const Blueprint& blueprint, const Step& step);

}  // namespace shadowvm::vkernel
